/* SPDX-License-Identifier: MIT */
#include "export/sqlite/inserter.h"

#ifdef HAVE_SQLITE

#include <errno.h>
#include <fcntl.h>

#include "base/safe_text.h"

enum { ROWS_OF_STATEMENT = 32, VALUES_OF_BLOCK = 32 * 1024, TEXT_OF_BLOCK = 4 << 20, BLOCKS_OF_RESERVE = 8 };

static sqlite3_stmt *prepare(struct inserter_db *db, const char *name, unsigned columns, unsigned rows)
{
	struct buf sql = BUF_MEMORY;
	sqlite3_stmt *s = NULL;

	buf_printf(&sql, "insert into %s values", name);
	for (unsigned i = 0; i < rows; i++)
		for (unsigned k = 0; k < columns; k++)
			buf_printf(&sql, "%s?%s", k ? "," : i ? ",(" : "(", k + 1 == columns ? ")" : "");
	if (sql.failed || db->lib->prepare_v2(db->db, sql.p, (int)sql.n, &s, NULL) != SQLITE_OK)
		s = NULL;
	buf_free(&sql);
	return s;
}

int inserter_begin(struct inserter *t, struct inserter_db *db, const char *name, unsigned columns)
{
	*t = (struct inserter){ .db = db, .columns = columns };
	for (unsigned i = 0; i < 2; i++) {
		t->blocks[i].table = t;
		t->blocks[i].text = BUF_MEMORY;
	}
	t->many = prepare(db, name, columns, ROWS_OF_STATEMENT);
	t->one = prepare(db, name, columns, 1);
	return t->many && t->one ? 0 : -SONDE_SYSTEM;
}

static int bind(const struct sqlite_library *lib, sqlite3_stmt *s, int i, const struct inserter_block *b,
		const struct inserter_value *v)
{
	switch (v->kind) {
	case TABLE_INT:
		return lib->bind_int64(s, i, v->v);
	case TABLE_TEXT:
		return lib->bind_text(s, i, v->size ? b->text.p + v->v : "", (int)v->size, SQLITE_STATIC);
	case TABLE_NULL:
		break;
	}
	return lib->bind_null(s, i);
}

/* 0 or the failure of SQLite. */
static int insert(const struct sqlite_library *lib, sqlite3_stmt *s, const struct inserter_block *b, size_t from,
		  size_t n)
{
	int r = SQLITE_OK;

	for (size_t i = 0; i < n && r == SQLITE_OK; i++)
		r = bind(lib, s, (int)i + 1, b, &b->values.at[from + i]);
	if (r != SQLITE_OK)
		return r;
	r = lib->step(s);
	lib->reset(s);
	return r == SQLITE_DONE ? 0 : r;
}

/* The size of the database, with what is not in its file yet; negative when SQLite fails. */
static int64_t database_bytes(const struct inserter_db *db)
{
	static const char sql[] = "select page_count * page_size from pragma_page_count, pragma_page_size";
	sqlite3_stmt *s = NULL;
	int64_t bytes = -1;

	if (db->lib->prepare_v2(db->db, sql, -1, &s, NULL) == SQLITE_OK && db->lib->step(s) == SQLITE_ROW)
		bytes = db->lib->column_int64(s, 0);
	db->lib->finalize(s);
	return bytes;
}

/* Takes the room of the copy now: a full disk is told before the work is done. Not every output can be asked. */
static void reserve_copy(struct inserter_db *db)
{
	int64_t bytes = db->copy_fd >= 0 ? database_bytes(db) : 0;

	if (bytes <= 0 || fallocate(db->copy_fd, FALLOC_FL_KEEP_SIZE, 0, bytes) == 0)
		return;
	if (errno == ENOSPC || errno == EDQUOT) {
		db->no_room = errno;
		db->failed = SQLITE_FULL;
	}
}

static void insert_block(struct job *j)
{
	struct inserter_block *b = (struct inserter_block *)j;
	struct inserter *t = b->table;
	size_t many = (size_t)t->columns * ROWS_OF_STATEMENT, at = 0, n;

	if (b->text.failed)
		t->db->failed = SQLITE_NOMEM;
	for (; at < b->values.n && !t->db->failed; at += n) {
		n = b->values.n - at >= many ? many : t->columns;
		t->db->failed = insert(t->db->lib, n == many ? t->many : t->one, b, at, n);
	}
	if (!t->db->failed && ++t->db->nr_blocks % BLOCKS_OF_RESERVE == 0)
		reserve_copy(t->db);
	b->values.n = 0;
	b->text.n = 0;
}

/* Gives the block at hand away and waits until the other one is empty. */
static void give_block(struct inserter *t)
{
	struct inserter_block *b = &t->blocks[t->filling];

	b->job.run = insert_block;
	if (!t->db->worker) {
		insert_block(&b->job);
		return;
	}
	worker_give(t->db->worker, &b->job);
	t->filling = !t->filling;
	worker_wait(t->db->worker, &t->blocks[t->filling].job);
}

static void put(struct inserter *t, struct inserter_value v)
{
	struct inserter_block *b = &t->blocks[t->filling];

	if (vec_push(&b->values, v) < 0)
		b->text.failed = -SONDE_NOMEM;
}

void inserter_int(struct inserter *t, int64_t v)
{
	put(t, (struct inserter_value){ .kind = TABLE_INT, .v = v });
}

void inserter_null(struct inserter *t)
{
	put(t, (struct inserter_value){ .kind = TABLE_NULL });
}

void inserter_text(struct inserter *t, const char *s, size_t len)
{
	struct buf *text = &t->blocks[t->filling].text;
	size_t begin = text->n;

	if (!s) {
		inserter_null(t);
		return;
	}
	buf_utf8(text, s, len);
	put(t, (struct inserter_value){ .kind = TABLE_TEXT, .v = (int64_t)begin, .size = (uint32_t)(text->n - begin) });
}

void inserter_str(struct inserter *t, const char *s)
{
	inserter_text(t, s, s ? strlen(s) : 0);
}

void inserter_end_row(struct inserter *t)
{
	const struct inserter_block *b = &t->blocks[t->filling];

	if (b->values.n >= VALUES_OF_BLOCK || b->text.n >= TEXT_OF_BLOCK || b->text.failed)
		give_block(t);
}

void inserter_finish(struct inserter *t)
{
	if (!t->db)
		return;
	if (t->many && t->one)
		give_block(t);
	for (unsigned i = 0; i < 2; i++) {
		if (t->db->worker)
			worker_wait(t->db->worker, &t->blocks[i].job);
		vec_free(&t->blocks[i].values);
		buf_free(&t->blocks[i].text);
	}
	t->db->lib->finalize(t->many);
	t->db->lib->finalize(t->one);
	t->db = NULL;
}

#endif
