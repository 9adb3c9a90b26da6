/* SPDX-License-Identifier: MIT */
/* library.h - functions of a shared library that is loaded only when it is needed. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Sets the function pointer at @function; false: the library has no function of this name. */
static inline bool library_function(void *library, const char *name, void *function)
{
	void *address = dlsym(library, name);

	memcpy(function, &address, sizeof(address));
	return address != NULL;
}

#endif
