/* SPDX-License-Identifier: MIT */
/* fd_io.h - reads and writes all bytes, however often the kernel stops in between */
#ifndef BASE_FD_IO_H
#define BASE_FD_IO_H

#include <stddef.h>
#include <stdint.h>

/* 0, or the errno of what went wrong. */
int fd_write(int fd, const void *p, size_t n);
int fd_write_at(int fd, const void *p, size_t n, uint64_t at);

/* How many bytes there were: fewer than @n at the end of the file, or if *sys_errno is set. */
size_t fd_read_at(int fd, void *to, size_t n, uint64_t at, int *sys_errno);

/*
 * How much of a file of @size bytes may be taken into memory at once: what is stored of it, many times over, since a
 * filesystem may compress, but not the holes of a sparse one.
 */
uint64_t fd_memory_max(int fd, uint64_t size);

/* Wakes up who polls an eventfd. For signal handlers too: errno is kept. */
void fd_wake(int eventfd);

#endif
