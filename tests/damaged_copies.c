/* SPDX-License-Identifier: MIT */
/*
 * damaged_copies.c - a copy of a damaged recording has exactly the samples that the reader delivers of the recording
 * itself
 *
 * damaged_copies MUTATIONS FOLDER NAME...: each recording as it is, as a stream, compressed, in the other byte order
 * and as a directory is damaged MUTATIONS times, the same way in every run; with 0 it is taken as it is. Copies are
 * made by cut, repair and convert; one that is refused with the advice to repair first is none.
 */
#include <sonde/cut.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static char damaged[1100], copied[1100];  /* their paths */
static int nr_cases, nr_failed;

/* ---- damage ---- */

static uint64_t random_state;

/* xorshift64*: the same numbers everywhere */
static uint64_t random_below(uint64_t n)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (random_state * UINT64_C(0x2545f4914f6cdd1d) >> 33) % n;
}

struct file {
	uint8_t *p;
	size_t n;
};

static uint64_t word_at(const struct file *f, size_t at)
{
	bool big = f->p[0] == '2';
	uint64_t v = 0;

	for (size_t i = 0; i < 8; i++)
		v |= (uint64_t)f->p[at + i] << 8 * (big ? 7 - i : i);
	return v;
}

static uint32_t type_at(const struct file *f, size_t at)
{
	return (uint32_t)(f->p[0] == '2' ? word_at(f, at) >> 32 : word_at(f, at));
}

/* Skips the records that describe a stream, which come before the first one of the kernel. */
static size_t skip_metadata(const struct file *f)
{
	size_t at = 16;

	while (at + 24 <= f->n && type_at(f, at) >= 64) {
		uint64_t head = word_at(f, at), after = type_at(f, at) == 66 ? word_at(f, at + 8) : 0;
		bool big = f->p[0] == '2';

		at += (size_t)(big ? head & 0xffff : head >> 48) + (size_t)(big ? after >> 32 : after & UINT32_MAX);
	}
	return at;
}

/* Where the records lie: headers and features are damaged by the tests of `repair` and `check`. */
static void find_records(const struct file *f, bool bare, size_t *begin, size_t *end)
{
	*begin = 0;
	*end = f->n;
	if (bare || f->n < 16)
		return;
	if (f->n < 104 || word_at(f, 8) == 16) {
		*begin = skip_metadata(f);
		return;
	}
	*begin = (size_t)word_at(f, 40);
	if (word_at(f, 48) && word_at(f, 48) < f->n - *begin)
		*end = *begin + (size_t)word_at(f, 48);
}

static void damage(struct file *f, bool bare)
{
	size_t begin, end, at, n;

	find_records(f, bare, &begin, &end);
	if (begin >= end)
		return;
	at = begin + random_below(end - begin);
	n = 1 + random_below(200);
	if (n > end - at)
		n = end - at;
	switch (random_below(6)) {
	case 0:  /* some bytes */
		for (uint64_t i = 0, many = 1 + random_below(20); i < many; i++)
			f->p[begin + random_below(end - begin)] = (uint8_t)random_below(256);
		break;
	case 1:  /* noise */
		for (size_t i = 0; i < n; i++)
			f->p[at + i] = (uint8_t)random_below(256);
		break;
	case 2:
		memset(f->p + at, 0, n);
		break;
	case 3:  /* what a message of the recorder on the same pipe looks like */
		for (size_t i = 0; i < n; i++)
			f->p[at + i] = (uint8_t)('a' + random_below(26));
		break;
	case 4:  /* bytes that went missing */
		memmove(f->p + at, f->p + at + n, f->n - at - n);
		f->n -= n;
		break;
	default:
		f->n = at;
		break;
	}
}

/* ---- files ---- */

static void die(const char *what, const char *path)
{
	fprintf(stderr, "damaged_copies: %s %s: %s\n", what, path, strerror(errno));
	exit(1);
}

static struct file read_file(const char *path)
{
	struct file f = { NULL, 0 };
	FILE *in = fopen(path, "rb");
	struct stat st;

	if (!in || fstat(fileno(in), &st) < 0)
		die("cannot open", path);
	f.n = (size_t)st.st_size;
	f.p = malloc(f.n + 1);
	if (!f.p || fread(f.p, 1, f.n, in) != f.n)
		die("cannot read", path);
	fclose(in);
	return f;
}

static void write_file(const char *path, const struct file *f)
{
	FILE *out = fopen(path, "wb");

	if (!out || fwrite(f->p, 1, f->n, out) != f->n || fclose(out) != 0)
		die("cannot write", path);
}

/* ---- samples ---- */

struct samples {
	uint64_t *hashes;
	size_t n, cap;
	bool opened;
	bool ordered;                /* is a stream or one file */
};

static uint64_t hash_of(const uint8_t *p, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}

static void add_sample(struct samples *s, uint64_t hash)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 256;
		s->hashes = realloc(s->hashes, s->cap * sizeof(*s->hashes));
		if (!s->hashes)
			die("out of memory", "");
	}
	s->hashes[s->n++] = hash;
}

/* Every sample of an event that the recording describes, whose fields can be read. */
static struct samples samples_of(const char *path)
{
	struct sonde_query query = { .sz = sizeof(query), .order = SONDE_ORDER_FILE, .samples_only = true };
	struct sonde_trace *t = sonde_trace_new();
	struct samples s = { 0 };
	const struct sonde_event *ev;
	const struct sonde_sample *sample;
	struct sonde_iter *it;

	s.opened = sonde_trace_open(t, path, NULL) == 0;
	it = s.opened ? sonde_iter_new(t, &query) : NULL;
	while (it && sonde_iter_next(it, &ev) > 0)
		if (ev->evsel && sonde_event_sample(ev, &sample) == 0)
			add_sample(&s, hash_of(ev->raw, ev->raw_size));
	sonde_iter_free(it);
	sonde_trace_free(t);
	return s;
}

/* ---- copies ---- */

static int cut(struct sonde_rewrite *w, const char *in, const char *out)
{
	struct sonde_query query = { .sz = sizeof(query) };
	struct sonde_cut_opts opts = { .sz = sizeof(opts), .query = &query };

	return sonde_cut(w, in, out, &opts);
}

static int convert(struct sonde_rewrite *w, const char *in, const char *out)
{
	struct sonde_convert_opts opts = { .sz = sizeof(opts), .compression = SONDE_COMPRESSION_NONE };

	return sonde_convert(w, in, out, &opts);
}

static int stream(struct sonde_rewrite *w, const char *in, const char *out)
{
	struct sonde_convert_opts opts = { .sz = sizeof(opts), .to = SONDE_FORM_PIPE };

	return sonde_convert(w, in, out, &opts);
}

static int file(struct sonde_rewrite *w, const char *in, const char *out)
{
	struct sonde_convert_opts opts = { .sz = sizeof(opts), .to = SONDE_FORM_FILE };

	return sonde_convert(w, in, out, &opts);
}

static int rebuild(struct sonde_rewrite *w, const char *in, const char *out)
{
	struct sonde_convert_opts opts = { .sz = sizeof(opts), .rebuild = true };

	return sonde_convert(w, in, out, &opts);
}

static int compress(struct sonde_rewrite *w, const char *in, const char *out)
{
	struct sonde_convert_opts opts = { .sz = sizeof(opts), .to = SONDE_FORM_FILE, .pack = true };

	return sonde_convert(w, in, out, &opts);
}

static int turn(struct sonde_rewrite *w, const char *in, const char *out)
{
	struct sonde_convert_opts opts = { .sz = sizeof(opts), .endian = SONDE_ENDIAN_BIG };

	return sonde_convert(w, in, out, &opts);
}

static int to_directory(struct sonde_rewrite *w, const char *in, const char *out)
{
	struct sonde_convert_opts opts = { .sz = sizeof(opts), .to = SONDE_FORM_DIRECTORY };

	return sonde_convert(w, in, out, &opts);
}

typedef int (*copy_fn)(struct sonde_rewrite *w, const char *in, const char *out);

static const struct copy {
	const char *name;
	copy_fn fn;
} copies[] = {
	{ "cut", cut }, { "repair", sonde_repair }, { "convert --no-compress", convert },
	{ "convert --to pipe", stream },
	{ "convert --to file", file }, { "convert --rebuild", rebuild }, { "convert -z", compress },
};

static void remove_all(const char *path)
{
	char line[4096];

	snprintf(line, sizeof(line), "%s/data", path);
	unlink(line);
	for (int i = 0; i < 64; i++) {
		snprintf(line, sizeof(line), "%s/data.%d", path, i);
		unlink(line);
	}
	if (unlink(path) < 0)
		rmdir(path);
}

static void compare(const char *what, const char *path, const struct copy *c, const struct samples *want)
{
	struct sonde_rewrite *w = sonde_rewrite_new();
	struct samples got = { 0 };
	size_t same = 0;

	nr_cases++;
	if (c->fn(w, path, copied) == 0) {
		got = samples_of(copied);
		while (same < got.n && same < want->n && got.hashes[same] == want->hashes[same])
			same++;
		if (same < got.n || same < want->n) {
			nr_failed++;
			printf("FAILED: %s: %s has %zu samples, the recording %zu; the first %zu are alike\n", what,
			       c->name, got.n, want->n, same);
		}
	} else if (want->n && !strstr(sonde_rewrite_error(w)->text, "'sonde repair' comes first")) {
		nr_failed++;
		printf("FAILED: %s: %s of %zu samples: %s\n", what, c->name, want->n, sonde_rewrite_error(w)->text);
	}
	sonde_rewrite_free(w);
	free(got.hashes);
	remove_all(copied);
}

static void compare_all(const char *what, const char *path)
{
	struct samples want = samples_of(path);

	for (size_t i = 0; want.opened && i < ARRAY_SIZE(copies); i++)
		compare(what, path, &copies[i], &want);
	free(want.hashes);
}

/* ---- the whole ---- */

static const struct copy forms[] = {
	{ "itself", NULL }, { "stream", stream }, { "compressed", compress }, { "big-endian", turn },
	{ "directory", to_directory },
};

/* One file of a directory is damaged: `data`, or one of the others. */
static void damage_one(const char *path, uint64_t seed)
{
	struct stat st;
	struct file f;
	char name[4096];
	bool bare = false;

	random_state = seed;
	snprintf(name, sizeof(name), "%s", path);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		snprintf(name, sizeof(name), "%s/data.%d", path, (int)random_below(3));
		bare = access(name, R_OK) == 0;
		if (!bare)
			snprintf(name, sizeof(name), "%s/data", path);
	}
	f = read_file(name);
	damage(&f, bare);
	write_file(name, &f);
	free(f.p);
}

static void make_form(const struct copy *form, const char *from, const char *to)
{
	struct sonde_rewrite *w = sonde_rewrite_new();
	struct file f;

	remove_all(to);
	if (!form->fn) {
		f = read_file(from);
		write_file(to, &f);
		free(f.p);
	} else if (form->fn(w, from, to) < 0) {
		fprintf(stderr, "damaged_copies: %s of %s: %s\n", form->name, from, sonde_rewrite_error(w)->text);
		exit(1);
	}
	sonde_rewrite_free(w);
}

static void test_recording(const char *path, int mutations, uint64_t seed)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char what[512];

	if (mutations == 0)
		compare_all(name, path);
	for (size_t k = 0; mutations && k < ARRAY_SIZE(forms); k++)
		for (int i = 0; i < mutations; i++) {
			uint64_t s = (seed * 1000 + (uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);

			make_form(&forms[k], path, damaged);
			damage_one(damaged, s);
			snprintf(what, sizeof(what), "%s, %s, damage %d", name, forms[k].name, i);
			compare_all(what, damaged);
			if (getenv("KEEP") && strcmp(getenv("KEEP"), what) == 0)
				exit(1);
		}
	remove_all(damaged);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: damaged_copies MUTATIONS FOLDER RECORDING...\n");
		return 2;
	}
	snprintf(damaged, sizeof(damaged), "%.1000s/damaged", argv[2]);
	snprintf(copied, sizeof(copied), "%.1000s/copied", argv[2]);
	for (int i = 3; i < argc; i++)
		test_recording(argv[i], atoi(argv[1]), (uint64_t)i);
	printf("%d copies, %d failed\n", nr_cases, nr_failed);
	return nr_failed > 0;
}
