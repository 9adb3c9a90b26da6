/* SPDX-License-Identifier: MIT */
/*
 * rewrites.c - what is written of damaged recordings breaks no rule
 *
 *	rewrites COUNT FOLDER...
 *
 * COUNT damages are spread over the recordings of the folders, of either format: half of them are cuts, at places
 * from the first byte to the last, the others are those of damages.h or lie in the head of a page. Each damaged
 * recording goes through every function that writes a recording: repair, cut, convert in all its forms, merge with the
 * undamaged one, redact. sonde_check() finds no error in what they write. A function may refuse a damaged recording;
 * repair only one that nothing is left of.
 *
 * REWRITES_ALL in the environment: every error is shown. REWRITES_ONLY=NUMBER: only that damage, whose files stay.
 */
#include <sonde/check.h>
#include <sonde/cut.h>
#include <sonde/merge.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "damages.h"

enum { EXIT_SKIP = 77, SIZE_MAX_ALL = 400 << 10, PAGE_BYTES = 4096, DATA_FILES_MAX = 64, SHOWN_MAX = 40 };

static char damaged[PATH_MAX], written[PATH_MAX];
static uint64_t nr_written, nr_bad;

/* ---- what writes a recording ---- */

struct writing {
	struct sonde_rewrite *w;
	const char *whole;           /* the undamaged recording */
};

static int convert(const struct writing *x, struct sonde_convert_opts opts)
{
	opts.sz = sizeof(opts);
	return sonde_convert(x->w, damaged, written, &opts);
}

static int write_cut(const struct writing *x, struct sonde_query query, uint32_t drop)
{
	struct sonde_cut_opts opts = { .sz = sizeof(opts), .query = &query, .drop = drop };

	query.sz = sizeof(query);
	return sonde_cut(x->w, damaged, written, &opts);
}

static int repair(const struct writing *x)
{
	return sonde_repair(x->w, damaged, written);
}

static int cut(const struct writing *x)
{
	return write_cut(x, (struct sonde_query){ 0 }, 0);
}

static int cut_fields(const struct writing *x)
{
	return write_cut(x, (struct sonde_query){ .cpus = (const int32_t[]){ 0 }, .nr_cpus = 1 },
			 SONDE_DROP_STACK | SONDE_DROP_REGS | SONDE_DROP_CALLCHAIN);
}

static int rebuild(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .rebuild = true });
}

static int unpack(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .compression = SONDE_COMPRESSION_NONE });
}

static int pack(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .pack = true });
}

static int pack_file(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .to = SONDE_FORM_FILE, .pack = true, .aligned = true });
}

static int to_file(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .to = SONDE_FORM_FILE });
}

static int to_pipe(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .to = SONDE_FORM_PIPE });
}

static int to_directory(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .to = SONDE_FORM_DIRECTORY });
}

static int to_big(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .endian = SONDE_ENDIAN_BIG });
}

static int to_little(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .endian = SONDE_ENDIAN_LITTLE });
}

static int to_short_attrs(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .attr_size = 96 });
}

static int to_v6(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .version = 6 });
}

static int to_v7(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .version = 7 });
}

static int to_v7_zlib(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .version = 7, .compression = SONDE_COMPRESSION_ZLIB });
}

static int redact(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .redact = true });
}

static int build_ids(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .build_ids = SONDE_BUILD_IDS_MMAP2 });
}

static int unwind(const struct writing *x)
{
	return convert(x, (struct sonde_convert_opts){ .unwind = true });
}

static int merge_before(const struct writing *x)
{
	const char *const in[] = { damaged, x->whole };

	return sonde_merge(x->w, in, 2, written, NULL);
}

static int merge_behind(const struct writing *x)
{
	const char *const in[] = { x->whole, damaged };

	return sonde_merge(x->w, in, 2, written, NULL);
}

static const struct writer {
	const char *name;
	int (*write)(const struct writing *x);
	bool carries_damage;         /* every byte keeps its place, so that the way back leads to the same file */
} writers[] = {
	{ "repair", repair },
	{ "cut", cut },
	{ "cut --cpu 0 --drop", cut_fields },
	{ "convert --rebuild", rebuild },
	{ "convert --no-compress", unpack },
	{ "convert -z", pack },
	{ "convert --to file -z --aligned", pack_file },
	{ "convert --to file", to_file },
	{ "convert --to pipe", to_pipe },
	{ "convert --to dir", to_directory },
	{ "convert --endian big", to_big, true },
	{ "convert --endian little", to_little, true },
	{ "convert --attr-size 96", to_short_attrs },
	{ "convert --to v6", to_v6 },
	{ "convert --to v7", to_v7 },
	{ "convert --to v7 --compression zlib", to_v7_zlib },
	{ "convert --redact", redact },
	{ "convert --build-ids=mmap2", build_ids },
	{ "convert --unwind", unwind },
	{ "merge DAMAGED WHOLE", merge_before },
	{ "merge WHOLE DAMAGED", merge_behind },
};

/* ---- what is wrong with what they wrote ---- */

struct shown {
	const char *file, *writer;
	uint64_t number;
	const struct damage *damage;
};

static uint64_t shown_max(void)
{
	return getenv("REWRITES_ALL") ? UINT64_MAX : SHOWN_MAX;
}

static int show_error(void *ctx, const struct sonde_finding *f)
{
	const struct shown *s = ctx;

	if (f->rule->severity == SONDE_SEVERITY_ERROR && nr_bad < shown_max())
		printf("FAILED: %s, damage %llu (%s at %zu): %s: at 0x%llx: %s: %s: expected %s, found %s\n", s->file,
		       (unsigned long long)s->number, s->damage->kind, s->damage->ranges[0].at, s->writer,
		       (unsigned long long)f->file_offset, f->rule->name, f->where, f->expected, f->found);
	return 0;
}

static void remove_written(void)
{
	char name[PATH_MAX + 32];

	if (unlink(written) == 0)
		return;
	snprintf(name, sizeof(name), "%s/data", written);
	unlink(name);
	for (int i = 0; i < DATA_FILES_MAX; i++) {
		snprintf(name, sizeof(name), "%s/data.%d", written, i);
		unlink(name);
	}
	rmdir(written);
}

/* A copy that nothing was to be changed in has the faults of its original. */
static bool is_copy(const struct bytes *bytes)
{
	struct stat st;
	struct bytes copy;
	bool same;

	if (stat(written, &st) < 0 || !S_ISREG(st.st_mode) || (size_t)st.st_size != bytes->n)
		return false;
	copy = read_file(written);
	same = memcmp(copy.p, bytes->p, bytes->n) == 0;
	free(copy.p);
	return same;
}

static bool is_sound(const char *path)
{
	struct sonde_check_result found = { .sz = sizeof(found) };

	return sonde_check(path, NULL, &found, NULL) == 0 && !found.severities[SONDE_SEVERITY_ERROR];
}

static void judge(struct shown *s)
{
	const struct sonde_check_opts opts = { .sz = sizeof(opts), .fn = show_error, .ctx = s };
	struct sonde_check_result found = { .sz = sizeof(found) };
	struct sonde_error err = { .sz = sizeof(err) };

	nr_written++;
	if (sonde_check(written, &opts, &found, &err) == 0 && !found.severities[SONDE_SEVERITY_ERROR])
		return;
	if (err.code && nr_bad < shown_max())
		printf("FAILED: %s, damage %llu: %s: cannot be checked: %s\n", s->file, (unsigned long long)s->number,
		       s->writer, err.text);
	nr_bad++;
}

/* repair may refuse only what has nothing that describes an event. */
static bool refuses(const struct sonde_rewrite *w)
{
	enum sonde_code code = sonde_rewrite_error(w)->code;

	return code != SONDE_MISSING && code != SONDE_FORMAT && code != SONDE_TRUNCATED && code != SONDE_CORRUPT;
}

static void run_damage(const char *path, const struct damage *d, uint64_t number)
{
	const char *name = strrchr(path, '/') + 1;
	struct writing x = { need(sonde_rewrite_new()), path };
	FILE *f = fopen(damaged, "wb");
	bool sound;

	if (!f || fwrite(d->bytes.p, 1, d->bytes.n, f) != d->bytes.n || fclose(f) != 0) {
		perror(damaged);
		exit(1);
	}
	sound = is_sound(damaged);
	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
		struct shown s = { name, writers[i].name, number, d };
		uint64_t bad = nr_bad;

		if (writers[i].write(&x) < 0) {
			if (writers[i].write == repair && refuses(x.w)) {
				printf("FAILED: %s, damage %llu: repair: %s\n", name, (unsigned long long)number,
				       sonde_rewrite_error(x.w)->text);
				nr_bad++;
			}
			continue;
		}
		if (writers[i].write == repair || (!is_copy(&d->bytes) && !(writers[i].carries_damage && !sound)))
			judge(&s);
		if (bad == nr_bad || !getenv("REWRITES_ONLY"))
			remove_written();
		else
			return;
	}
	sonde_rewrite_free(x.w);
}

/* ---- damages ---- */

/* The first bytes of a page hold the number of bytes of its events. */
static void damage_page_head(struct damage *d, uint64_t *random)
{
	size_t pages = d->bytes.n / PAGE_BYTES, at = PAGE_BYTES * (1 + below(random, pages ? pages : 1)) + 8;
	size_t many = 1 + below(random, 3);

	d->kind = "head of a page";
	d->ranges[d->n++] = (struct range){ at, at + many };
	for (size_t i = 0; i < many && at + i < d->bytes.n; i++)
		d->bytes.p[at + i] = (uint8_t)next_random(random);
}

static struct damage numbered_damage(const struct bytes *whole, uint64_t number)
{
	struct damage d = { .kind = "cut" };
	uint64_t random = number;
	uint32_t place = (uint32_t)number * UINT32_C(0x9e3779b9);  /* spread evenly, however many there are */

	if (number % 4 == 1)
		return damage_new(whole, number);
	d.bytes = (struct bytes){ need(malloc(whole->n + 1)), whole->n };
	memcpy(d.bytes.p, whole->p, whole->n);
	if (number % 4 == 3) {
		damage_page_head(&d, &random);
		return d;
	}
	d.bytes.n = (size_t)((uint64_t)whole->n * place >> 32);
	d.ranges[d.n++] = (struct range){ d.bytes.n, whole->n };
	return d;
}

/* Number @index of @nr recordings has the damages index, index + nr, ... below count. */
static void run_file(const char *path, size_t index, size_t nr, uint64_t count)
{
	const char *only = getenv("REWRITES_ONLY");
	struct bytes whole = read_file(path);

	for (uint64_t number = index; number < count; number += nr) {
		struct damage d;

		if (only && strtoull(only, NULL, 10) != number)
			continue;
		d = numbered_damage(&whole, number);
		run_damage(path, &d, number);
		free(d.bytes.p);
	}
	free(whole.p);
}

static bool is_recording(const char *path)
{
	char magic[10] = "";
	struct stat st;
	FILE *f = fopen(path, "rb");
	bool is = f && fread(magic, 1, sizeof(magic), f) == sizeof(magic) && fstat(fileno(f), &st) == 0 &&
		st.st_size <= SIZE_MAX_ALL &&
		(memcmp(magic, "PERFILE2", 8) == 0 || memcmp(magic, "2ELIFREP", 8) == 0 ||
		 memcmp(magic, "PERFFILE", 8) == 0 || memcmp(magic, "\x17\x08\x44tracing", 10) == 0);

	if (f)
		fclose(f);
	return is;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	char dir[] = "/tmp/sonde-rewrites-XXXXXX";
	char **paths = NULL;
	size_t n = 0;

	for (int i = 2; i < argc; i++)
		find_files(argv[i], is_recording, &paths, &n);
	if (n == 0) {
		printf("skipped: no recordings in %s\n", argc > 2 ? argv[2] : "no folder");
		return EXIT_SKIP;
	}
	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	snprintf(damaged, sizeof(damaged), "%s/damaged", dir);
	snprintf(written, sizeof(written), "%s/written", dir);
	for (size_t i = 0; i < n; i++) {
		run_file(paths[i], i, n, count);
		free(paths[i]);
	}
	free(paths);
	if (!getenv("REWRITES_ONLY"))
		unlink(damaged);
	rmdir(dir);
	printf("%llu damages of %zu recordings, %llu files written, %llu with errors\n", (unsigned long long)count, n,
	       (unsigned long long)nr_written, (unsigned long long)nr_bad);
	return nr_bad > 0;
}
