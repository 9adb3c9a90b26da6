/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/inject.h"

#include <sys/utsname.h>

#include "perfdata/format/feature.h"
#include "perfdata/format/record_body.h"

#define CPUMODE_KERNEL 1
#define CPUMODE_USER 2
#define MISC_MMAP_DATA 0x2000
#define MISC_BUILD_ID_SIZE 0x8000
#define PROT_EXEC_BIT 4
#define KERNEL_NAME "[kernel.kallsyms]"
#define VDSO_NAME "[vdso]"
#define BUILD_ID_NAME_AT 36

struct inject {
	struct rewrite *w;
	struct redact *redact;
	bool into_mmap2;
	bool of_this_kernel;         /* the trace is of the running kernel, which can be asked for its build ids */
	struct strpool names;        /* of binaries that were looked at */
	VEC(struct sonde_build_id) ids;  /* by number of the name; size 0: there is none */
	VEC(bool) written;           /* the same: is in the feature or in a record already, or need not be */
	uint8_t mmap2[UINT16_MAX];   /* the record with its id */
};

/* "virtio_blk" of "/lib/modules/6.1/kernel/drivers/block/virtio-blk.ko.xz" and of "[virtio_blk]" */
static bool module_name(const char *name, char *out, size_t size)
{
	const char *slash = strrchr(name, '/'), *from = slash ? slash + 1 : name + 1;
	size_t n = slash ? strcspn(from, ".") : strcspn(from, "]");

	if (n == 0 || n >= size)
		return false;
	for (size_t i = 0; i < n; i++)
		out[i] = from[i] == '-' ? '_' : from[i];
	out[n] = '\0';
	return true;
}

static uint8_t find_id(const struct inject *j, const char *name, uint8_t cpumode, uint8_t id[20])
{
	const struct build_id_finder *f = j->w->handle->build_ids;
	char module[128];

	if (cpumode == CPUMODE_USER && strcmp(name, VDSO_NAME) == 0)
		return j->of_this_kernel ? f->of_vdso(id) : 0;
	if (cpumode == CPUMODE_USER)
		return name[0] == '/' ? f->of_file(name, id) : 0;
	if (cpumode != CPUMODE_KERNEL || !j->of_this_kernel)
		return 0;
	if (strcmp(name, KERNEL_NAME) == 0)
		return f->of_kernel(id);
	return module_name(name, module, sizeof(module)) ? f->of_module(module, id) : 0;
}

/* The number of a binary, which was looked up if it is new; UINT32_MAX when out of memory. */
static uint32_t number_of(struct inject *j, const char *name, size_t len, uint8_t cpumode, const uint8_t *known,
			  uint8_t known_size)
{
	uint32_t n = strpool_add(&j->names, name, len);
	struct sonde_build_id b = { .pid = -1, .cpumode = cpumode, .sized = true };

	if (n == UINT32_MAX || n < j->ids.n)
		return n;
	b.filename = strpool_get(&j->names, n);
	b.size = known_size;
	if (known_size)
		memcpy(b.id, known, known_size);
	else
		b.size = find_id(j, b.filename, cpumode, b.id);
	if (!b.size)
		memset(b.id, 0, sizeof(b.id));
	return vec_push(&j->ids, b) < 0 || vec_push(&j->written, b.size == 0) < 0 ? UINT32_MAX : n;
}

/* A stream has no feature that could come last: the id goes before the mapping. */
static int write_record(struct inject *j, uint32_t n)
{
	struct sonde_build_id b = j->ids.at[n];
	bool swap = j->w->opts.swap;
	size_t len, size;
	struct buf *out = &j->w->to.buf;
	uint16_t halves[2];
	uint32_t words[2];

	if (j->redact && redact_build_ids(j->redact, &b, 1) < 0)
		return -SONDE_NOMEM;
	len = strlen(b.filename);
	size = ALIGN_UP(36 + len + 1, (size_t)8);
	words[0] = RECORD_HEADER_BUILD_ID;
	words[1] = (uint32_t)b.pid;
	halves[0] = (uint16_t)(b.cpumode | MISC_BUILD_ID_SIZE);
	halves[1] = (uint16_t)size;
	if (swap) {
		words[0] = bswap_32(words[0]);
		words[1] = bswap_32(words[1]);
		halves[0] = bswap_16(halves[0]);
		halves[1] = bswap_16(halves[1]);
	}
	buf_put(out, &words[0], 4);
	buf_put(out, halves, 4);
	buf_put(out, &words[1], 4);
	buf_put(out, b.id, sizeof(b.id));
	buf_char(out, (char)b.size);
	buf_pad(out, 0, 3);
	buf_put(out, b.filename, len);
	buf_pad(out, 0, size - 36 - len);
	j->w->handle->counts.written++;
	return out->failed;
}

/* Major and minor number, inode and generation make room for the id. */
static void put_into_mmap2(struct inject *j, uint32_t n, struct rewrite_record *record)
{
	const struct sonde_build_id *b = &j->ids.at[n];
	uint16_t misc = record->from->h.misc | MISC_MMAP_BUILD_ID;

	memcpy(j->mmap2, record->p, record->n);
	misc = j->w->in.header.swap ? bswap_16(misc) : misc;
	memcpy(j->mmap2 + 4, &misc, sizeof(misc));
	memset(j->mmap2 + MMAP2_ID_AT, 0, 24);
	j->mmap2[MMAP2_ID_AT] = b->size;
	memcpy(j->mmap2 + MMAP2_ID_AT + 4, b->id, sizeof(b->id));
	record->p = j->mmap2;
}

/* A build id that came as a record and goes on as one. */
static int note_record(struct inject *j, const struct rewrite_record *record)
{
	const char *name = (const char *)record->p + BUILD_ID_NAME_AT;
	uint16_t misc = record->from->h.misc;
	uint8_t size = 20;
	uint32_t n;

	if (record->n <= BUILD_ID_NAME_AT)
		return 0;
	if (misc & MISC_BUILD_ID_SIZE && record->p[32] <= 20)
		size = record->p[32];
	n = number_of(j, name, record->n - BUILD_ID_NAME_AT, misc & MISC_CPUMODE_MASK, record->p + 12, size);
	if (n == UINT32_MAX)
		return err_nomem(&j->w->handle->err);
	j->written.at[n] = true;
	return 0;
}

static bool is_executable(const struct record_header *h, const struct sonde_mmap *m)
{
	if (h->type == RECORD_MMAP)
		return !(h->misc & MISC_MMAP_DATA);
	return m->prot & PROT_EXEC_BIT || m->pid == -1;  /* those of the kernel have no protection */
}

int inject_record(struct inject *j, struct rewrite_record *record)
{
	const struct record_header *h = &record->from->h;
	struct sonde_mmap m;
	uint8_t cpumode = h->misc & MISC_CPUMODE_MASK;
	size_t len;
	uint32_t n;

	if (h->type == RECORD_HEADER_BUILD_ID)
		return note_record(j, record);
	if (!rewrite_mapping(j->w, record->p, h, &m) || m.filename.len == 0 || !is_executable(h, &m))
		return 0;
	len = m.filename.len;
	if (m.pid == -1 && len >= strlen(KERNEL_NAME) && memcmp(m.filename.p, KERNEL_NAME, strlen(KERNEL_NAME)) == 0)
		len = strlen(KERNEL_NAME);  /* what follows is the symbol by which it was placed */
	n = number_of(j, m.filename.p, len, cpumode, m.build_id, m.build_id_size);
	if (n == UINT32_MAX)
		return err_nomem(&j->w->handle->err);
	if (j->into_mmap2 && h->type == RECORD_MMAP2 && j->ids.at[n].size) {
		if (!m.build_id_size)
			put_into_mmap2(j, n, record);
		j->written.at[n] = true;
	} else if (j->w->opts.pipe && !j->written.at[n]) {
		j->written.at[n] = true;
		return write_record(j, n);
	}
	return 0;
}

/* Ids that the trace had already are taken over, also those of binaries that are not mapped. */
static int take_known(struct inject *j)
{
	const struct meta *m = &j->w->in.meta;

	for (size_t i = 0; i < m->nr_build_ids; i++) {
		const struct sonde_build_id *b = &m->build_ids[i];
		size_t before = j->ids.n;
		uint32_t n;

		if (!b->filename[0]) {
			rewrite_lose(j->w, SONDE_LOSS_UNSUPPORTED, 1, j->w->in.features[SONDE_FEAT_BUILD_ID].offset,
				     "build {id|ids} of files without a name");
			continue;
		}
		n = number_of(j, b->filename, strlen(b->filename), b->cpumode, b->id, b->size);

		if (n == UINT32_MAX)
			return err_nomem(&j->w->handle->err);
		if (n == before) {
			j->ids.at[n].pid = b->pid;
			j->ids.at[n].sized = b->sized;
		}
		j->written.at[n] = j->w->opts.pipe;  /* the stream begins with them */
	}
	return 0;
}

int inject_begin(struct inject **out, struct rewrite *w, bool into_mmap2)
{
	struct inject *j = calloc(1, sizeof(*j));
	const char *release = w->in.meta.osrelease;
	struct utsname host;

	*out = j;
	if (!j)
		return err_nomem(&w->handle->err);
	j->w = w;
	j->into_mmap2 = into_mmap2;
	j->of_this_kernel = release && uname(&host) == 0 && strcmp(host.release, release) == 0;
	/* number 0 is that of no name, which has no id */
	if (strpool_add(&j->names, "", 0) == UINT32_MAX ||
	    vec_push(&j->ids, ((struct sonde_build_id){ .filename = "" })) < 0 || vec_push(&j->written, true) < 0)
		return err_nomem(&w->handle->err);
	return take_known(j);
}

void inject_redacted(struct inject *j, struct redact *redact)
{
	j->redact = redact;
}

int inject_feature(struct inject *j)
{
	struct meta meta = { 0 };
	VEC(struct sonde_build_id) left = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < j->ids.n; i++)
		if (!j->written.at[i])
			r = vec_push(&left, j->ids.at[i]);
	if (r == 0 && j->redact)
		r = redact_build_ids(j->redact, left.at, left.n);
	if (r == 0 && left.n && !j->w->opts.pipe) {
		meta.build_ids = left.at;
		meta.nr_build_ids = left.n;
		r = compose_fields(j->w->out, SONDE_FEAT_BUILD_ID, &meta);
	}
	vec_free(&left);
	return r < 0 ? err_nomem(&j->w->handle->err) : 0;
}

void inject_end(struct inject *j)
{
	if (!j)
		return;
	strpool_free(&j->names);
	vec_free(&j->ids);
	vec_free(&j->written);
	free(j);
}
