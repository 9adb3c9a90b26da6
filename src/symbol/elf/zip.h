/* SPDX-License-Identifier: MIT */
/* zip.h - libraries that are stored in a zip file and mapped from there, as Android does with those of an APK */
#ifndef SYMBOL_ELF_ZIP_H
#define SYMBOL_ELF_ZIP_H

#include "base/vec.h"
#include "symbol/elf/file.h"

struct zip_library {
	uint64_t offset, size;       /* in the zip file */
};

struct zip {
	int fd;
	uint64_t bytes;              /* of all libraries */
	VEC(struct zip_library) libraries;
};

/* 0 or negative; the zip may have no libraries. */
int zip_open(struct zip *z, const char *path, struct sonde_error *err);

/* Reads one of the libraries into memory. Its file offsets count from the start of the zip file. */
int zip_open_library(struct elf_file *f, const struct zip *z, size_t i, struct sonde_error *err);

void zip_close(struct zip *z);

#endif
