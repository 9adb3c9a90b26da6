/* SPDX-License-Identifier: MIT */
#include "table/table_json.h"

static void put_columns(const struct sonde_table *t, struct json *j)
{
	json_key(j, "columns");
	json_array(j);
	for (size_t i = 0; i < t->info.columns; i++) {
		json_object(j);
		json_member_text(j, "name", t->columns[i].name);
		json_member_text(j, "kind", table_kind_name(t->columns[i].kind));
		json_member_text(j, "help", t->columns[i].help);
		json_end(j);
	}
	json_end(j);
}

static void put_task(const struct sonde_table_value *v, struct json *j)
{
	json_object(j);
	json_member_text(j, "comm", v->text);
	json_key(j, "tid");
	json_i64(j, v->tid);
	json_key(j, "pid");
	if (v->pid >= 0)
		json_i64(j, v->pid);
	else
		json_null(j);
	json_end(j);
}

static void put_value(const struct sonde_table_value *v, struct json *j)
{
	if (!v->known)
		json_null(j);
	else if (v->kind == SONDE_TABLE_SHARE)
		json_double(j, v->share);
	else if (v->kind == SONDE_TABLE_REAL)
		json_double(j, v->real);
	else if (v->kind == SONDE_TABLE_TEXT)
		json_text(j, v->text);
	else if (v->kind == SONDE_TABLE_TASK)
		put_task(v, j);
	else
		json_i64(j, v->number);
}

void table_json(struct sonde_table *t, struct json *j)
{
	json_object(j);
	json_member_text(j, "name", t->info.name);
	json_member_u64(j, "events", t->info.events);
	json_member_u64(j, "events_left_out", t->info.events_left_out);
	put_columns(t, j);
	json_key(j, "rows");
	json_array(j);
	for (size_t row = 0; row < t->info.rows && !j->out->failed; row++) {
		json_array(j);
		for (size_t i = 0; i < t->info.columns; i++)
			put_value(table_value(t, row, i), j);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}
