/* SPDX-License-Identifier: MIT */
/*
 * format.h - descriptions of kernel events without names that a user chose
 *
 * The events of a tracer are the kernel's, but a probe has the name of a function, often of a program of the user, its
 * group that of the program ("probe_bash:readline"), and its arguments those of variables. They get pseudonyms. A group
 * is one of probes if an event in it has the fields of a probe, or if it has the name that perf and the kernel give.
 */
#ifndef TRACEFMT_REDACT_FORMAT_H
#define TRACEFMT_REDACT_FORMAT_H

#include "tracefmt/format_list.h"
#include "tracefmt/redact/pseudonym.h"
#include "tracefmt/tracefmt.h"

/* Whether an event is that of a kprobe, uprobe or fprobe. */
bool redact_is_probe(const struct tracefmt_event *e);

/* Makes the groups of all probes of @t known, which redact_format() and redact_event_name() ask for. -SONDE_NOMEM. */
int redact_note_probes(struct pseudonyms *names, const struct tracefmt *t);

/* Adds a format to @to as it is to be shown; what is new lives in @arena. 0 or -SONDE_NOMEM. */
int redact_format(struct pseudonyms *names, const char *system, struct sonde_str text, struct arena *arena,
		  struct format_lists *to);

/* The formats of a file while they are read: redact_take_format() adds them to the lists. */
struct redacted_formats {
	struct pseudonyms *names;
	struct arena arena;
	struct format_lists lists;
};

/* @ctx: a struct redacted_formats; @at: where the text lies, which makes no difference. 0 or -SONDE_NOMEM. */
int redact_take_format(void *ctx, const char *system, struct sonde_str text, uint64_t at);
void redacted_formats_free(struct redacted_formats *f);

/* The other name of "probe_bash:readline": 1, 0 if the name stays, -SONDE_NOMEM. */
#define REDACTED_EVENT_BYTES (2 * PSEUDONYM_BYTES + 1)
int redact_event_name(struct pseudonyms *names, const char *name, size_t len, char out[REDACTED_EVENT_BYTES]);

/* Whether a text has the name of a probe, of its group or of an argument as a word. */
bool redact_names_probe(struct pseudonyms *names, struct sonde_str text);

/* /proc/kallsyms with other names for the programs of BPF, which end in what their author called them. */
int redact_kallsyms(struct pseudonyms *names, struct sonde_str text, struct buf *out);

/* The bytes of a BPF program's symbol that are the kernel's; all of them where it is one of the kernel itself. */
size_t redact_bpf_kept(const char *name, size_t len);

#endif
