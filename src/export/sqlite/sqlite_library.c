/* SPDX-License-Identifier: MIT */
#include "export/sqlite/sqlite_library.h"

#ifdef HAVE_SQLITE

#include <pthread.h>

#include "base/library.h"

#define FUNCTION(name) library_function(library, "sqlite3_" #name, &f->name)

static struct sqlite_library functions;
static bool loaded;

static void load(void)
{
	void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
	struct sqlite_library *f = &functions;

	loaded = library && FUNCTION(open_v2) && FUNCTION(close_v2) && FUNCTION(exec) && FUNCTION(prepare_v2) &&
		 FUNCTION(step) && FUNCTION(reset) && FUNCTION(finalize) && FUNCTION(bind_int64) &&
		 FUNCTION(bind_null) && FUNCTION(bind_text) && FUNCTION(errmsg) && FUNCTION(extended_result_codes) &&
		 FUNCTION(db_config) && FUNCTION(set_authorizer) && FUNCTION(column_count) && FUNCTION(column_name) &&
		 FUNCTION(column_type) && FUNCTION(column_int64) && FUNCTION(column_double) && FUNCTION(column_text) &&
		 FUNCTION(column_blob) && FUNCTION(column_bytes) &&
		 FUNCTION(create_module) && FUNCTION(declare_vtab) && FUNCTION(result_int64) &&
		 FUNCTION(result_double) && FUNCTION(result_text) && FUNCTION(result_error_nomem) &&
		 FUNCTION(mprintf);
}

const struct sqlite_library *sqlite_library_get(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return loaded ? &functions : NULL;
}

#endif
