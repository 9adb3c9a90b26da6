/* SPDX-License-Identifier: MIT */
#include "disasm/capstone.h"

#ifdef HAVE_CAPSTONE

#include <pthread.h>

#include "base/library.h"

#define LIBRARY_OF(major) "libcapstone.so." #major
#define LIBRARY_NAME(major) LIBRARY_OF(major)

static struct capstone functions;
static bool loaded;

static void load(void)
{
	void *library = dlopen(LIBRARY_NAME(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);
	struct capstone *c = &functions;

	loaded = library && library_function(library, "cs_support", &c->support) &&
		 library_function(library, "cs_open", &c->open) && library_function(library, "cs_close", &c->close) &&
		 library_function(library, "cs_option", &c->option) &&
		 library_function(library, "cs_malloc", &c->malloc) &&
		 library_function(library, "cs_free", &c->free) &&
		 library_function(library, "cs_disasm_iter", &c->disasm_iter);
}

const struct capstone *capstone_get(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return loaded ? &functions : NULL;
}

bool capstone_is_there(void)
{
	return capstone_get() != NULL;
}

#else

bool capstone_is_there(void)
{
	return false;
}

#endif
