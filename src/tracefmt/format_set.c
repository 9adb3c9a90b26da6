/* SPDX-License-Identifier: MIT */
/* format_set.c - the formats, string constants and command names of one recorder */
#include "tracefmt/format_set.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/str.h"
#include "tracefmt/format.h"

struct tracefmt *tracefmt_new(bool big_endian, uint8_t long_size)
{
	struct tracefmt *t = calloc(1, sizeof(*t));

	if (t) {
		t->big_endian = big_endian;
		t->long_size = long_size == 4 ? 4 : 8;
		t->symbols_text = BUF_MEMORY;
		pthread_mutex_init(&t->lock, NULL);
	}
	return t;
}

void tracefmt_free(struct tracefmt *t)
{
	if (!t)
		return;
	vec_free(&t->events);
	u64map_free(&t->by_id);
	vec_free(&t->printk);
	u64map_free(&t->printk_by_address);
	vec_free(&t->comms);
	u64map_free(&t->comm_by_pid);
	ksyms_free(&t->symbols);
	boots_free(&t->boots);
	buf_free(&t->symbols_text);
	pthread_mutex_destroy(&t->lock);
	arena_free(&t->arena);
	free(t);
}

static char *join_name(struct arena *a, const char *system, const char *name)
{
	size_t n = strlen(system) + strlen(name) + 2;
	char *s = arena_alloc(a, n);

	if (s)
		snprintf(s, n, "%s:%s", system, name);
	return s;
}

int tracefmt_add_format(struct tracefmt *t, const char *system, struct sonde_str text, struct sonde_error *err)
{
	struct tracefmt_event *e = arena_alloc(&t->arena, sizeof(*e));
	int r;

	if (!e)
		return err_nomem(err);
	e->set = t;
	atomic_init(&e->text, NULL);
	e->swap = t->big_endian != host_is_big_endian();
	e->long_size = t->long_size;
	r = format_parse(e, text, &t->arena, err);
	if (r < 0)
		return r;
	if (u64map_get(&t->by_id, e->id) != U64MAP_NONE)
		return 0;
	e->system = arena_strndup(&t->arena, system, strlen(system));
	e->is_tracer = strcmp(system, "ftrace") == 0;
	e->full_name = e->system ? join_name(&t->arena, e->system, e->name) : NULL;
	if (!e->full_name || vec_push(&t->events, e) < 0 ||
	    u64map_set(&t->by_id, e->id, (uint32_t)(t->events.n - 1)) < 0)
		return err_nomem(err);
	return 0;
}

const struct tracefmt_event *tracefmt_event(const struct tracefmt *t, uint64_t id)
{
	uint32_t i = u64map_get(&t->by_id, id);

	return i == U64MAP_NONE ? NULL : t->events.at[i];
}

const struct tracefmt_event *tracefmt_event_named(const struct tracefmt *t, const char *full_name)
{
	for (size_t i = 0; i < t->events.n; i++)
		if (strcmp(t->events.at[i]->full_name, full_name) == 0)
			return t->events.at[i];
	return NULL;
}

size_t tracefmt_nr_events(const struct tracefmt *t)
{
	return t->events.n;
}

const struct tracefmt_event *tracefmt_event_at(const struct tracefmt *t, size_t index)
{
	return t->events.at[index];
}

bool tracefmt_big_endian(const struct tracefmt *t)
{
	return t->big_endian;
}

uint8_t tracefmt_long_size(const struct tracefmt *t)
{
	return t->long_size;
}

static void skip_blanks(struct sonde_str *s)
{
	while (s->len && (*s->p == ' ' || *s->p == '\t'))
		str_skip(s, 1);
}

/* Undoes the escapes of printk_formats; a newline at the end is the message's, not the constant's, and is dropped. */
static char *unescape(struct arena *a, struct sonde_str s)
{
	char *to = arena_alloc(a, s.len + 1);
	size_t n = 0;

	if (!to)
		return NULL;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.p[i];

		if (c == '\\' && i + 1 < s.len) {
			c = s.p[++i];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		to[n++] = c;
	}
	if (n && to[n - 1] == '\n')
		n--;
	to[n] = '\0';
	return to;
}

/* 0x<address> : "<text>" */
static int add_printk_line(struct tracefmt *t, struct sonde_str line)
{
	uint64_t address;
	char *text;

	if (!str_skip_prefix(&line, "0x"))
		str_skip_prefix(&line, "0X");
	if (!str_take_hex(&line, &address))
		return 0;
	skip_blanks(&line);
	if (!str_skip_prefix(&line, ":"))
		return 0;
	skip_blanks(&line);
	str_skip_prefix(&line, "\"");
	if (line.len && line.p[line.len - 1] == '"')
		line.len--;
	text = unescape(&t->arena, line);
	if (!text || vec_push(&t->printk, text) < 0)
		return -SONDE_NOMEM;
	return u64map_set(&t->printk_by_address, address, (uint32_t)(t->printk.n - 1));
}

int tracefmt_add_printk(struct tracefmt *t, struct sonde_str text)
{
	int r = 0;

	while (text.len && r == 0)
		r = add_printk_line(t, str_take(&text, '\n'));
	return r;
}

/* <pid> <comm>; the comm is the rest of the line */
static int add_cmdline(struct tracefmt *t, struct sonde_str line)
{
	uint32_t pid = 0;
	size_t digits = 0;
	char *comm;

	skip_blanks(&line);
	for (; line.len && *line.p >= '0' && *line.p <= '9' && digits < 9; line.p++, line.len--, digits++)
		pid = pid * 10 + (uint32_t)(*line.p - '0');
	if (digits == 0 || line.len == 0 || *line.p != ' ')
		return 0;
	comm = arena_strndup(&t->arena, line.p + 1, line.len - 1);
	if (!comm || vec_push(&t->comms, comm) < 0)
		return -SONDE_NOMEM;
	return u64map_set(&t->comm_by_pid, pid, (uint32_t)(t->comms.n - 1));
}

int tracefmt_add_cmdlines(struct tracefmt *t, struct sonde_str text)
{
	int r = 0;

	while (text.len && r == 0)
		r = add_cmdline(t, str_take(&text, '\n'));
	return r;
}

const char *tracefmt_printk(const struct tracefmt *t, uint64_t address)
{
	uint32_t i = u64map_get(&t->printk_by_address, address);

	return i == U64MAP_NONE ? NULL : t->printk.at[i];
}

const char *tracefmt_comm(const struct tracefmt *t, int32_t pid)
{
	uint32_t i = u64map_get(&t->comm_by_pid, (uint32_t)pid);

	return i == U64MAP_NONE ? NULL : t->comms.at[i];
}

void tracefmt_symbols_from(struct tracefmt *t, int (*load)(void *ctx, struct buf *out), void *ctx)
{
	t->load_symbols = load;
	t->load_ctx = ctx;
}

static void read_symbols(struct tracefmt *t)
{
	struct sonde_str text = t->kallsyms;

	pthread_mutex_lock(&t->lock);
	if (!atomic_load_explicit(&t->has_symbols, memory_order_relaxed)) {
		if (t->load_symbols && t->load_symbols(t->load_ctx, &t->symbols_text) == 0 && !t->symbols_text.failed)
			text = (struct sonde_str){ t->symbols_text.p, t->symbols_text.n };
		if (text.len && ksyms_parse(&t->symbols, text) < 0)
			ksyms_free(&t->symbols);
		atomic_store_explicit(&t->has_symbols, true, memory_order_release);
	}
	pthread_mutex_unlock(&t->lock);
}

int tracefmt_add_last_boot(struct tracefmt *t, const char *buffer, struct sonde_str text)
{
	return boots_add(&t->boots, &t->arena, buffer, text);
}

int tracefmt_add_modules(struct tracefmt *t, struct sonde_str text)
{
	return boots_add_modules(&t->boots, &t->arena, text);
}

const struct tracefmt_boot *tracefmt_boot(const struct tracefmt *t, const char *buffer)
{
	for (size_t i = 0; buffer && i < t->boots.list.n; i++)
		if (!strcmp(t->boots.list.at[i].buffer, buffer))
			return &t->boots.list.at[i];
	return NULL;
}

bool tracefmt_has_boots(const struct tracefmt *t)
{
	return t->boots.list.n;
}

bool tracefmt_boot_address(const struct tracefmt *t, const struct tracefmt_boot *boot, uint64_t *address)
{
	if (!boot)
		return true;
	if (!atomic_load_explicit(&t->has_symbols, memory_order_acquire))
		read_symbols((struct tracefmt *)t);
	if (!boots_translate(&t->boots, boot, &t->symbols, address))
		return false;
	if (t->long_size == 4)
		*address = (uint32_t)*address;
	return true;
}

bool tracefmt_symbol(const struct tracefmt *t, const struct tracefmt_boot *boot, uint64_t address,
		     struct sonde_str *name, uint64_t *offset)
{
	if (!tracefmt_boot_address(t, boot, &address))
		return false;
	if (!atomic_load_explicit(&t->has_symbols, memory_order_acquire))
		/* symbols are the one part of a set that changes while it is read */
		read_symbols((struct tracefmt *)t);
	return ksyms_find(&t->symbols, address, name, offset);
}
