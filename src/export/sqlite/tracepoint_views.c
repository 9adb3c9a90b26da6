/* SPDX-License-Identifier: MIT */
#include "export/sqlite/tracepoint_views.h"

#ifdef HAVE_SQLITE

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"

/* tp_sched_switch: a row for each event, with columns of its fields. Fields of strange names are in `event` only. */
static int add_view(const struct event_rows *e, const struct sqlite_library *lib, sqlite3 *db,
		    const struct event_source *s, const char *name)
{
	static const char *const own[] = { "id", "t", "cpu", "pid", "tid", "comm" };
	struct buf sql = BUF_MEMORY;
	int r = 0;

	buf_printf(&sql, "create view %s as select s.id as id, s.t as t, s.cpu as cpu, t.pid as pid, t.tid as tid,"
		   " t.comm as comm", name);
	for (size_t i = 0; s->format && i < s->format->nr_fields; i++) {
		const struct sonde_tracepoint_field *f = &s->format->fields[i];
		bool taken = f->flags & SONDE_TRACEPOINT_COMMON || !text_is_identifier(f->name);

		for (size_t k = 0; k < i && !taken; k++)
			taken = strcasecmp(f->name, s->format->fields[k].name) == 0;
		if (taken)
			continue;
		buf_printf(&sql, ", json_extract(e.fields, '$.%s') as \"", f->name);
		for (size_t k = 0; k < ARRAY_SIZE(own); k++)
			if (strcasecmp(f->name, own[k]) == 0)
				buf_str(&sql, "field_");
		buf_printf(&sql, "%s\"", f->name);  /* in quotes: "order" is a word of SQL, too */
	}
	buf_printf(&sql, " from sample s join event e on e.id = s.id left join thread t on t.id = s.thread"
		   " where s.source = %" PRIu32, s->number);
	buf_char(&sql, '\0');
	if (sql.failed)
		r = err_nomem(e->err);
	else if (lib->exec(db, sql.p, NULL, NULL, NULL) != SQLITE_OK)
		r = err_set(e->err, SONDE_SYSTEM, SONDE_NONE, "cannot write the database: %s", lib->errmsg(db));
	buf_free(&sql);
	return r;
}

int tracepoint_views_make(const struct event_rows *e, const struct sqlite_library *lib, sqlite3 *db)
{
	struct strpool names = { 0 };
	size_t known;
	int r = 0;

	for (size_t i = 0; i < e->sources.n && r == 0; i++) {
		const struct event_source *s = e->sources.at[i];
		char name[128] = "tp_";

		if (!s || !s->is_tracepoint || !s->format)
			continue;
		snprintf(name + 3, sizeof(name) - 3, "%s_%s", s->format->system, s->format->name);
		known = names.names.n;
		if (strlen(name) + 1 == sizeof(name) || !text_is_identifier(name))
			continue;
		for (char *c = name; *c; c++)  /* as SQL compares names */
			*c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 'a' - 'A' : *c);
		if (strpool_add(&names, name, strlen(name)) == UINT32_MAX)
			r = err_nomem(e->err);
		else if (names.names.n > known)   /* of several buffers, the first */
			r = add_view(e, lib, db, s, name);
	}
	strpool_free(&names);
	return r;
}

#endif
