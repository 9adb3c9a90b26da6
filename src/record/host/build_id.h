/* SPDX-License-Identifier: MIT */
/* build_id.h - the build ids of files, of the running kernel and of its modules. */
#ifndef RECORD_HOST_BUILD_ID_H
#define RECORD_HOST_BUILD_ID_H

#include <sonde/types.h>

#define BUILD_ID_MAX 20

/* All return the size of the id, 0 if there is none to be had. */
uint8_t build_id_of_notes(const uint8_t *p, size_t n, uint8_t out[BUILD_ID_MAX]);
uint8_t build_id_of_file(const char *path, uint8_t out[BUILD_ID_MAX]);
uint8_t build_id_of_kernel(uint8_t out[BUILD_ID_MAX]);
uint8_t build_id_of_module(const char *name, uint8_t out[BUILD_ID_MAX]);
uint8_t build_id_of_vdso(uint8_t out[BUILD_ID_MAX]);

#endif
