/* SPDX-License-Identifier: MIT */
/*
 * code_files.h - bytes of the code of binaries, from files of which only a few are open at a time
 *
 * A recording can have thousands of binaries, and a process few descriptors. Several threads may read at once.
 */
#ifndef UNWIND_CODE_FILES_H
#define UNWIND_CODE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A file that is opened again when it is needed. */
struct code_file {
	char *path;                  /* owned; NULL: there is none */
	dev_t dev;                   /* another file may have taken its place */
	ino_t ino;
	off_t size;
};

struct code_files;

/* NULL when out of memory. */
struct code_files *code_files_new(void);
void code_files_free(struct code_files *c);

/* Takes an open file over, also when it fails. 0 or -SONDE_NOMEM. */
int code_files_add(struct code_files *c, struct code_file *file, const char *path, int fd);

/* False where the file does not have these bytes, or is not there any more. */
bool code_files_read(struct code_files *c, const struct code_file *file, uint64_t offset, void *out, size_t size);

void code_file_free(struct code_file *file);

#endif
