/* SPDX-License-Identifier: MIT */
/* function_ipc.h - instructions per cycle of the functions of a profile, from its basic blocks */
#ifndef ANALYZE_ANNOTATE_FUNCTION_IPC_H
#define ANALYZE_ANNOTATE_FUNCTION_IPC_H

#include "analyze/tables/profile.h"

/* The IPC of a function; zeros if it is not known. */
struct function_ipc function_ipc_of(const struct sonde_profile *p, const struct frame *f);

#endif
