/* SPDX-License-Identifier: MIT */
/* btf_name.h - the name of a type in BTF, the types of BPF programs */
#ifndef RECORD_HOST_BTF_NAME_H
#define RECORD_HOST_BTF_NAME_H

#include <sonde/types.h>

/* The name of type @id, a view of @btf; NULL if it has none. @btf: in host order, as the kernel gives it */
const char *btf_name(struct sonde_bytes btf, uint32_t id);

#endif
