/* SPDX-License-Identifier: MIT */
/*
 * symbols.h - which symbols belong to a binary of a recording, and where to find them
 *
 *	const char *name = "[unknown]";
 *	struct symtab *t = symbols_table(symbols, mapping->binary);
 *	uint32_t i = symtab_find(t, mapping_to_binary(mapping, ip));
 *	if (i != SYMTAB_NONE)
 *		name = symtab_name(t, i);       (offset: address - symtab_start(t, i))
 *
 * Several threads may ask at once; each binary is loaded by the first that does. Whoever looks up often keeps the
 * table.
 */
#ifndef SYMBOL_SYMBOLS_H
#define SYMBOL_SYMBOLS_H

#include <sonde/symbol.h>

#include "model/meta.h"
#include "symbol/table/symtab.h"

#include "threads/jit_code.h"

/* All strings are copied; zero means the default. */
struct symbols_opts {
	const char *symfs;           /* look for the binaries below this directory; NULL: "/" */
	const char *sysroot;         /* look for them below this directory first; NULL: nowhere else */
	/* take kernel and module symbols from this file, whatever kernel it says it is of */
	const char *kallsyms;
	const char *vmlinux;         /* take kernel symbols from this file */
	const char *const *debug_dirs; /* of separate debug files, ends with NULL; NULL: /usr/lib/debug */
	const char *buildid_dir;     /* perf's cache of binaries; NULL: $HOME/.debug; "": none */
	/* of our tables; NULL: $XDG_CACHE_HOME/sonde/symbols or $HOME/.cache/sonde/symbols; "": none */
	const char *cache_dir;
	const char *map_dir;         /* of perf-PID.map; NULL: /tmp */
	bool no_demangle;
	bool demangle_kernel;        /* those of the kernel, too */
	const char *archive;         /* of `perf archive`; NULL: those beside the recording */
	bool debuginfod;             /* ask the servers of $DEBUGINFOD_URLS for missing files */
	bool debuginfod_kernel;      /* also for the debug file of a kernel */
	bool force;                  /* believe maps and jitdumps of any user */
	int (*fetched)(void *ctx, const struct sonde_fetches *fetches);  /* as in <sonde/symbol.h> */
	void *fetched_ctx;
	void (*noted)(void *ctx, const struct sonde_symbol_note *note);  /* the same */
	void *noted_ctx;
};

struct symbols;
struct find_paths;
struct buf;
struct jitdump;

/*
 * NULL when out of memory. The index of a binary is what the tables are kept by: one symbols object for one
 * numbering.
 */
struct symbols *symbols_new(const struct symbols_opts *opts);
void symbols_free(struct symbols *s);

/*
 * Tells of the recording whose addresses come next. The symbols that it has itself are copied: its binaries are looked
 * up in them unless the options say where to look. It also names its kernel, and the directory of a recording may have
 * lists of its symbols. @path may be NULL. 0 or -SONDE_NOMEM.
 */
int symbols_carry(struct symbols *s, const struct meta *meta, const char *path);

/*
 * The symbols of a binary, loaded at the first call. Never NULL: a table without symbols says why in `reason`. As
 * long as the symbols object lives. The binary is only read during the call.
 */
struct symtab *symbols_table(struct symbols *s, const struct binary *b);

/* Keeps a note about a binary for `noted`; copies. */
void symbols_note(struct symbols *s, enum sonde_symbol_note_kind kind, const char *dso, const char *text);

/*
 * For the note about code made at run time: one interrupted address in it has no name; the number of all interrupted
 * addresses that were looked up.
 */
void symbols_count_unnamed(struct symbols *s, const struct binary *b);
void symbols_count_interrupted(struct symbols *s, uint64_t n);

/* Whether names are shown demangled. */
bool symbols_demangle(const struct symbols *s);

/* Whether the user says where better files of a binary are than those that a recording or its bundle has. */
bool symbols_given(const struct symbols *s, const struct binary *b);

/* Whether memory was too short for a table or a name: what was looked up since may lack names. */
bool symbols_out_of_memory(struct symbols *s);

/* Notes that @part ("names") of a binary is missing for want of memory. */
void symbols_note_memory(struct symbols *s, const char *dso, const char *part);

/*
 * The functions of a binary whether they have symbols or not, for addresses that symbols_table() does not know: where
 * they begin and end, as the file says for unwinding; names are "". Loaded, kept and shared as the symbols are; empty
 * where nothing is known.
 */
struct symtab *symbols_functions(struct symbols *s, const struct binary *b);

/* Reads the jitdumps of the recording, for its tasks. As long as the symbols object lives. */
struct jit_source *symbols_jit(struct symbols *s);

/*
 * Reads on in jitdumps that processes write while they are recorded; their tables have the new functions then. Nobody
 * uses the symbols meanwhile, and names that they have given are gone. 0 or -SONDE_NOMEM.
 */
int symbols_read_on(struct symbols *s, struct binary *const *binaries, size_t n);

/* Appends the bytes of its file; false if it cannot be read. */
bool symbols_jitdump_bytes(struct symbols *s, const struct binary *b, struct buf *out);

/* The jitdump of a BINARY_JITDUMP; NULL: it cannot be read. As long as the symbols object lives. */
const struct jitdump *symbols_jitdump(struct symbols *s, const struct binary *b);

/* Where the files of binaries are looked for. As long as the symbols object lives. */
const struct find_paths *symbols_paths(const struct symbols *s);

#endif
