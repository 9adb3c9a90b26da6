/* SPDX-License-Identifier: MIT */
#include "analyze/needs/needed_members.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_io.h"
#include "base/strpool.h"
#include "symbol/bundle_elf.h"
#include "symbol/bundle_lines.h"
#include "symbol/bundle_table.h"
#include "symbol/bundles.h"
#include "symbol/embedded_source.h"
#include "symbol/find_file.h"

enum {
	SOURCE_MOST = 64 << 20,
	REFUSED_MOST = 4,            /* files that are named because their text is left out */
};

typedef VEC(struct elf_part) parts;

struct members {
	const struct bundle_needs *needs;
	struct bundle_writer *w;
	struct sonde_error *err;
	struct strpool files;        /* source files of the lines that were written, if they are wanted */
	VEC(const struct binary *) binaries;     /* by number of the file: the first one with lines of it */
};

/* Frees the bytes. */
static int add_member(struct members *m, const struct binary *b, enum bundle_kind kind, struct buf *bytes)
{
	const struct bundle_key key = bundle_key_of(b, kind);
	int r = bytes->failed ? err_nomem(m->err) : bundle_writer_add(m->w, &key, bytes->p, bytes->n, m->err);

	buf_free(bytes);
	return r;
}

static int write_tables(struct members *m, const struct needed_binary *of, const struct binary *b)
{
	const struct symtab *t = of->symbols.n ? symbols_table(m->needs->symbols, b) : NULL;
	struct buf out = BUF_MEMORY;
	int r = 0;

	if (t && !t->carried) {
		bundle_table_encode(&out, t, of->symbols.at, of->symbols.n);
		r = add_member(m, b, BUNDLE_SYMBOLS, &out);
	}
	if (r == 0 && of->functions.n) {
		out = BUF_MEMORY;
		bundle_table_encode(&out, symbols_functions(m->needs->symbols, b), of->functions.at, of->functions.n);
		r = add_member(m, b, BUNDLE_FUNCTIONS, &out);
	}
	return r;
}

static int add_files(struct members *m, const struct binary *b, const struct source_frame *frames, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t number = frames[i].file ? strpool_add(&m->files, frames[i].file, strlen(frames[i].file)) : 0;

		if (number == UINT32_MAX)
			return -SONDE_NOMEM;
		while (m->binaries.n <= number)
			if (vec_push(&m->binaries, NULL) < 0)
				return -SONDE_NOMEM;
		if (!m->binaries.at[number])
			m->binaries.at[number] = b;
	}
	return 0;
}

static int write_lines(struct members *m, const struct needed_binary *of, const struct binary *b)
{
	struct bundle_lines_writer lines = { 0 };
	struct buf out = BUF_MEMORY;
	int r = 0;

	for (size_t i = 0; i < of->addrs.n && r == 0; i++) {
		const struct source_frame *frames;
		size_t n = source_lines_find(m->needs->lines, b, of->addrs.at[i], &frames);

		if (m->needs->source)
			r = add_files(m, b, frames, n);
		if (n && r == 0)
			r = bundle_lines_add(&lines, of->addrs.at[i], frames, n);
	}
	if (r == 0 && lines.rows.n) {
		bundle_lines_encode(&out, &lines);
		r = add_member(m, b, BUNDLE_LINES, &out);
	}
	bundle_lines_writer_free(&lines);
	return r;
}

/* The bytes that unwinding has read, and the code of functions that were interrupted. */
static int wanted_bytes(const struct members *m, const struct needed_binary *of, const struct binary *b, parts *out)
{
	const struct unwind_reads *reads = unwind_images_reads(m->needs->images, b);
	const struct symtab *t = of->hot.n ? symbols_table(m->needs->symbols, b) : NULL;
	int r = 0;

	for (size_t i = 0; reads && i < reads->n && r == 0; i++)
		r = vec_push(out, ((struct elf_part){ reads->at[i] * UNWIND_READ_BYTES,
						      (reads->at[i] + 1) * UNWIND_READ_BYTES }));
	for (size_t i = 0; i < of->hot.n && r == 0; i++)
		r = vec_push(out, ((struct elf_part){ symtab_start(t, of->hot.at[i]),
						      symtab_end(t, of->hot.at[i]) }));
	return r;
}

static int write_debug_elf(struct members *m, const struct binary *b, const struct found *running)
{
	struct buf out = BUF_MEMORY;
	struct found debug;
	int r = 0;

	if (find_local_debug_file(&debug, symbols_paths(m->needs->symbols), b, running) < 0)
		return 0;
	if (bundle_elf_encode(&out, &debug.elf, true, NULL, 0))
		r = add_member(m, b, BUNDLE_DEBUG_ELF, &out);
	buf_free(&out);
	elf_file_close(&debug.elf);
	return r;
}

static int write_elf(struct members *m, const struct needed_binary *of, const struct binary *b)
{
	const struct find_paths *paths = symbols_paths(m->needs->symbols);
	struct buf out = BUF_MEMORY, reason = BUF_MEMORY;
	bool unwound = unwind_images_reads(m->needs->images, b);
	parts wanted = { 0 };
	struct found running;
	int r = -SONDE_MISSING;

	if (b->kind == BINARY_FILE && (unwound || of->hot.n))
		r = find_running_file(&running, paths, b, b->name, &reason);
	else if (b->kind == BINARY_VDSO && unwound)
		r = find_vdso(&running, paths, b, &reason);
	buf_free(&reason);
	if (r < 0)
		return 0;
	r = wanted_bytes(m, of, b, &wanted);
	if (r == 0 && bundle_elf_encode(&out, &running.elf, false, wanted.at, wanted.n))
		r = add_member(m, b, BUNDLE_ELF, &out);
	if (r == 0 && unwound && b->kind == BINARY_FILE)
		r = write_debug_elf(m, b, &running);
	buf_free(&out);
	vec_free(&wanted);
	elf_file_close(&running.elf);
	return r;
}

static int write_jitdump(struct members *m, const struct binary *b)
{
	struct buf out = BUF_MEMORY;
	int r = 0;

	if (symbols_jitdump_bytes(m->needs->symbols, b, &out))
		r = add_member(m, b, BUNDLE_FILE, &out);
	buf_free(&out);
	return r;
}

/* Appends the text; *why is set if the file is here and may not be given away. */
static bool read_source(const struct bundle_needs *needs, const char *path, const struct binary *b, struct buf *out,
			const char **why)
{
	struct stat st;
	int bad, fd = embedded_source_open(path, needs->source_dirs, needs->nr_source_dirs, needs->lines, b, &st, why);
	size_t size = fd >= 0 && st.st_size <= SOURCE_MOST ? (size_t)st.st_size : 0;
	char *to = size ? buf_room(out, size) : NULL;

	out->n = to ? fd_read_at(fd, to, size, 0, &bad) : 0;
	if (fd >= 0)
		close(fd);
	if (!embedded_source_is_text(out->p, out->n)) {
		*why = "it is no text";
		return false;
	}
	return out->n > 0;
}

/* Why files are missing, the first few of them. */
static void note_refused(const struct members *m, const char *path, const char *why, size_t nr)
{
	struct buf text = BUF_MEMORY;

	if (nr > REFUSED_MOST)
		return;
	if (nr == REFUSED_MOST)
		buf_str(&text, "the text of this file and of further ones is left out");
	else
		buf_printf(&text, "the text of this file is left out: %s", why);
	buf_char(&text, 0);
	if (!text.failed)
		symbols_note(m->needs->symbols, SONDE_NOTE_LINES, path, text.p);
	buf_free(&text);
}

/* A file that is not here is left out. */
static int write_sources(struct members *m)
{
	size_t nr_refused = 0;
	int r = 0;

	for (uint32_t i = 0; i < m->files.names.n && r == 0; i++) {
		const struct bundle_key key = bundle_key_of_source(strpool_get(&m->files, i));
		struct buf text = BUF_MEMORY;
		const char *why;

		if (i >= m->binaries.n || !m->binaries.at[i])
			continue;
		if (read_source(m->needs, key.name, m->binaries.at[i], &text, &why))
			r = bundle_writer_add(m->w, &key, text.p, text.n, m->err);
		else if (why)
			note_refused(m, key.name, why, ++nr_refused);
		buf_free(&text);
	}
	return r;
}

static int write_binary(struct members *m, const struct binary *b)
{
	const struct needed_binary *of = &m->needs->binaries.at[b->index];
	int r = 0;

	if (b->kind == BINARY_JITDUMP)
		r = write_jitdump(m, b);
	if (r == 0 && b->kind != BINARY_KSYMBOL && b->kind != BINARY_OTHER)
		r = write_tables(m, of, b);
	if (r == 0 && b->kind != BINARY_KSYMBOL && b->kind != BINARY_JITDUMP)
		r = write_lines(m, of, b);
	return r == 0 ? write_elf(m, of, b) : r;
}

int needed_members_write(const struct bundle_needs *needs, struct bundle_writer *w, struct sonde_error *err)
{
	struct members m = { .needs = needs, .w = w, .err = err };
	int r = 0;

	for (size_t i = 0; i < needs->moment.tasks.binaries.list.n && r == 0; i++)
		r = write_binary(&m, needs->moment.tasks.binaries.list.at[i]);
	if (r == 0 && needs->source)
		r = write_sources(&m);
	strpool_free(&m.files);
	vec_free(&m.binaries);
	return r == -SONDE_NOMEM ? err_nomem(err) : r;
}
