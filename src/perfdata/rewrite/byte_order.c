/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/byte_order.h"

#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"

/* Bytes that have not been swapped yet. Behind the first field that is not there nothing more is swapped. */
struct swapper {
	uint8_t *p, *end;
	bool swap;                   /* the order it had is not the host's */
	bool failed;
};

static size_t left(const struct swapper *s)
{
	return (size_t)(s->end - s->p);
}

static uint8_t *take(struct swapper *s, uint64_t n)
{
	uint8_t *p = s->p;

	if (s->failed || n > left(s)) {
		s->failed = true;
		return NULL;
	}
	s->p += n;
	return p;
}

static void skip(struct swapper *s, uint64_t n)
{
	take(s, n);
}

static uint16_t swap_u16(struct swapper *s)
{
	uint8_t *p = take(s, 2);
	uint16_t v = p ? load_u16(p, false) : 0, other = bswap_16(v);

	if (p)
		memcpy(p, &other, sizeof(other));
	return s->swap ? other : v;
}

static uint32_t swap_u32(struct swapper *s)
{
	uint8_t *p = take(s, 4);
	uint32_t v = p ? load_u32(p, false) : 0, other = bswap_32(v);

	if (p)
		memcpy(p, &other, sizeof(other));
	return s->swap ? other : v;
}

static uint64_t swap_u64(struct swapper *s)
{
	uint8_t *p = take(s, 8);
	uint64_t v = p ? load_u64(p, false) : 0, other = bswap_64(v);

	if (p)
		memcpy(p, &other, sizeof(other));
	return s->swap ? other : v;
}

static void swap_u64s(struct swapper *s)
{
	while (left(s) >= 8)
		swap_u64(s);
}

/* One field of a pattern: '2', '4' and '8' are numbers of so many bytes, 's' are eight bytes that stay. */
static void swap_field(struct swapper *s, char c)
{
	if (c == '2')
		swap_u16(s);
	else if (c == '4')
		swap_u32(s);
	else if (c == '8')
		swap_u64(s);
	else
		skip(s, 8);
}

/*
 * Field by field. A part in brackets comes again and again up to the end, which is no failure; it is no loop over a
 * count.
 */
static void swap_pattern(struct swapper *s, const char *pattern)
{
	const char *again = NULL;

	for (const char *c = pattern; *c && !s->failed && left(s); c++) {
		if (*c == '(')
			again = c;
		else if (*c == ')')
			c = again;
		else
			swap_field(s, *c);
	}
}

/* ---- attrs ---- */

/* Through the struct: its flags are bit-fields, whose order is another matter than that of bytes. */
const char *swap_attr(uint8_t *p, size_t n, bool swap)
{
	uint8_t room[ATTR_SIZE_KNOWN] = { 0 };
	size_t known = n < sizeof(room) ? n : sizeof(room);
	struct sonde_attr attr;

	memcpy(room, p, known);
	attr_load(room, swap, &attr);
	attr_store(room, &attr, !swap);
	memcpy(p, room, known);
	for (size_t i = known; i < n; i++)
		if (p[i])
			return "fields of attrs that are not known";
	return NULL;
}

/* ---- samples ---- */

/*
 * Fields of struct perf_branch_entry behind from and to: bit-fields, which big-endian machines lay out from the highest
 * bit on.
 */
static const uint8_t branch_fields[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };

static uint64_t mirror_branch_fields(uint64_t v, bool from_big)
{
	uint64_t r = 0;
	unsigned low = 0;

	for (size_t i = 0; i < ARRAY_SIZE(branch_fields); i++) {
		unsigned width = branch_fields[i], high = 64 - low - width;

		r |= (v >> (from_big ? high : low) & ((UINT64_C(1) << width) - 1)) << (from_big ? low : high);
		low += width;
	}
	return r;
}

static void swap_branch_flags(struct swapper *s)
{
	bool from_big = host_is_big_endian() != s->swap;
	uint8_t *p = take(s, 8);
	uint64_t v;

	if (!p)
		return;
	v = mirror_branch_fields(load_u64(p, s->swap), from_big);
	v = s->swap ? v : bswap_64(v);
	memcpy(p, &v, sizeof(v));
}

static void swap_branches(struct swapper *s, const struct sonde_attr *attr)
{
	uint64_t nr = swap_u64(s);
	uint64_t rest = left(s), counters = attr->branch_sample_type & BRANCH_COUNTERS ? 8 : 0;

	if (nr <= rest / 24 && rest > nr * (24 + counters))  /* hw_idx */
		swap_u64(s);
	for (uint64_t i = 0; i < nr && !s->failed; i++) {
		swap_u64(s);
		swap_u64(s);
		swap_branch_flags(s);
	}
	swap_u64s(s);
}

static void swap_span(struct swapper *s, uint64_t bits, const struct sonde_attr *attr)
{
	uint64_t size;

	switch (bits) {
	case SAMPLE_TID:
	case SAMPLE_CPU:
		swap_u32(s);
		swap_u32(s);
		return;
	case SAMPLE_RAW:
		swap_u32(s);
		return;
	case SAMPLE_AUX:
		swap_u64(s);
		return;
	case SAMPLE_STACK_USER:
		size = swap_u64(s);
		skip(s, size);
		if (size)
			swap_u64(s);
		return;
	case SAMPLE_BRANCH_STACK:
		swap_branches(s, attr);
		return;
	default:
		swap_u64s(s);
	}
}

static const char *swap_sample(const struct evsel *source, uint8_t *p, size_t n, bool swap)
{
	struct sample_field fields[SAMPLE_FIELDS_MAX];
	size_t nr;
	int r;

	if (!source)
		return "{sample|samples} of an event that is not described, all but their header";
	r = sample_fields(p, n, &source->attr, swap, fields, &nr);
	for (size_t i = 0; i < nr; i++) {
		struct swapper s = { p + fields[i].at, p + fields[i].at + fields[i].bytes, swap, false };

		swap_span(&s, fields[i].bits, &source->attr);
	}
	if (r < 0)
		return "{sample that contradicts itself, from where it does|"
		       "samples that contradict themselves, from where they do}";
	return source->attr.sample_type & ~SAMPLE_KNOWN ? "{field|fields} of samples that {is|are} not known" : NULL;
}

/* ---- records ---- */

/* The numbers behind the fixed part of a record, which begins with its row in record.c; bytes behind them stay. */
static const char *const tails[RECORD_HEADER_MAX] = {
	[RECORD_READ] = "(8)",
	[RECORD_NAMESPACES] = "(88)",
	[RECORD_CALLCHAIN_DEFERRED] = "(8)",
	[RECORD_ID_INDEX] = "(8)",
	[RECORD_AUXTRACE_INFO] = "(8)",
	[RECORD_THREAD_MAP] = "(8ss)",
	[RECORD_STAT_CONFIG] = "(88)",
	[RECORD_TIME_CONV] = "88",
	[RECORD_SCHEDSTAT_CPU] = "444444888",
	[RECORD_SCHEDSTAT_DOMAIN] = "(4)",
};

static void swap_fixed_field(const struct swapper *record, const struct record_field *f)
{
	static const char widths[] = {
		[FIELD_U16] = '2', [FIELD_U32] = '4', [FIELD_S32] = '4', [FIELD_HEX32] = '4', [FIELD_U64] = '8',
		[FIELD_S64] = '8', [FIELD_HEX64] = '8', [FIELD_TIME] = '8', [FIELD_STRING] = 0,
	};
	struct swapper s = *record;

	skip(&s, f->at);
	if (widths[f->kind])
		swap_field(&s, widths[f->kind]);
}

/* The body of a record whose fields record.c knows; @s is behind them then. False for any other. */
static bool swap_body(struct swapper *s, const struct record_header *h, bool has_build_id)
{
	const struct record_type *type = h->type < RECORD_HEADER_MAX ? record_type_find(h->type) : NULL;
	const struct swapper record = *s;

	if (!type || h->type == RECORD_COMPRESSED || h->type == RECORD_COMPRESSED2)
		return false;
	if (h->type == RECORD_MMAP2) {
		swap_pattern(s, has_build_id ? "422" "44888sss44" : "422" "44888448844");
		return true;
	}
	swap_pattern(s, "422");
	if (h->type == RECORD_HEADER_ATTR || h->type == RECORD_CPU_MAP || h->type == RECORD_SAMPLE)
		return true;  /* see swap_rest(), swap_sample() */
	for (const struct record_field *f = type->fields; f && f->name; f++)
		swap_fixed_field(&record, f);
	skip(s, type->min_size - RECORD_HEADER_BYTES);
	if (tails[h->type])
		swap_pattern(s, tails[h->type]);
	return true;
}

/* A set of CPUs as it begins with its type. */
static void swap_cpus(struct swapper *s)
{
	uint16_t type = swap_u16(s), nr, long_size;

	switch (type) {
	case 0:
		nr = swap_u16(s);
		for (uint16_t i = 0; i < nr && !s->failed; i++)
			swap_u16(s);
		return;
	case 1:
		nr = swap_u16(s);
		long_size = swap_u16(s);
		skip(s, long_size == 8 ? 4 : 0);
		for (uint16_t i = 0; i < nr && !s->failed; i++)
			swap_field(s, long_size == 8 ? '8' : '4');
		return;
	case 2:
		skip(s, 2);
		swap_u16(s);
		swap_u16(s);
	}
}

static const char *swap_attr_record(struct swapper *s)
{
	uint32_t size = left(s) >= ATTR_SIZE_VER0 ? load_u32(s->p + 4, s->swap) : 0;
	const char *what;
	uint8_t *p;

	size = size ? size : ATTR_SIZE_VER0;
	p = take(s, size);
	if (!p)
		return "attrs that are cut";
	what = swap_attr(p, size, s->swap);
	swap_u64s(s);
	return what;
}

/* Fields behind those that swap_body() knows. */
static const char *swap_rest(struct swapper *s, uint8_t *record, uint32_t type, uint64_t first)
{
	uint32_t format;

	switch (type) {
	case RECORD_HEADER_ATTR:
		return swap_attr_record(s);
	case RECORD_CPU_MAP:
		swap_cpus(s);
		return NULL;
	case RECORD_EVENT_UPDATE:
		if (first == 1)  /* SCALE: a double */
			swap_u64(s);
		else if (first == 3)
			swap_cpus(s);
		return NULL;
	case RECORD_AUXTRACE_ERROR:
		format = left(s) ? load_u32(record + 28, !s->swap) : 0;
		if (format >= 1)
			swap_u64(s);
		skip(s, 64);
		if (format >= 2)
			swap_pattern(s, "44");
		return NULL;
	default:
		return NULL;
	}
}

/* A record whose event is not known has the trailer that all events have. */
static void swap_trailer(const struct evsel *source, uint8_t *p, size_t n, bool swap)
{
	static const uint64_t order[] = { SAMPLE_TID,       SAMPLE_TIME, SAMPLE_ID,
					  SAMPLE_STREAM_ID, SAMPLE_CPU,  SAMPLE_IDENTIFIER };
	struct swapper s = { p + n - source->layout.trailer_bytes, p + n, swap, false };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (source->attr.sample_type & order[i])
			swap_pattern(&s, order[i] == SAMPLE_TID || order[i] == SAMPLE_CPU ? "44" : "8");
}

static const struct evsel *source_of(struct evlist *evlist, const uint8_t *p, size_t n, uint32_t type,
					   bool swap)
{
	const struct evsel *s;
	uint64_t id;

	if (type >= RECORD_USER)
		return NULL;
	s = evlist_find(evlist, p, n, type == RECORD_SAMPLE, swap, &id);
	if (!s && type != RECORD_SAMPLE && evlist->reader->evsels.n)
		s = evlist_at(evlist, 0);
	return s;
}

const char *swap_record(struct evlist *evlist, uint8_t *p, size_t n, bool swap, uint32_t nr_cpus)
{
	struct record_header h = record_header(p, swap);
	const struct evsel *source = source_of(evlist, p, n, h.type, swap);
	struct swapper s = { p, p + n, swap, false };
	const char *what = NULL;
	size_t trailer = source && h.type != RECORD_SAMPLE ? source->layout.trailer_bytes : 0;
	uint64_t first = n >= 16 ? load_u64(p + 8, swap) : 0;

	if (h.type == RECORD_SAMPLE)
		what = swap_sample(source, p, n, swap);
	if (trailer && n >= RECORD_HEADER_BYTES + trailer) {
		swap_trailer(source, p, n, swap);
		s.end -= trailer;
	}
	if (!swap_body(&s, &h, record_has_build_id(p, n, &h))) {
		swap_pattern(&s, "422");
		return "{record|records} of types that are not known, all but {its|their} header";
	}
	if (h.type == RECORD_HEADER_FEATURE)
		return swap_feature(first < SONDE_FEAT_BITS ? (uint32_t)first : 0, s.p, left(&s), swap, nr_cpus);
	return what ? what : swap_rest(&s, p, h.type, first);
}

/* ---- features ---- */

static void swap_text(struct swapper *s)
{
	skip(s, swap_u32(s));
}

static void swap_texts(struct swapper *s)
{
	for (uint32_t nr = swap_u32(s); nr && !s->failed; nr--)
		swap_text(s);
}

/*
 * Payloads as patterns: numbers as above; 't' a text, 'l' a list of texts, '[' the number of times (a u32) that what
 * follows up to ']' comes; they can be nested.
 */
static const char *swap_items(struct swapper *s, const char *pattern);

static const char *swap_counted(struct swapper *s, const char *pattern)
{
	uint32_t nr = swap_u32(s);
	const char *end = pattern;

	for (int depth = 1; depth; end++)
		depth += *end == '[' ? 1 : *end == ']' ? -1 : 0;
	for (; nr && !s->failed && left(s); nr--)
		swap_items(s, pattern);
	s->failed |= nr != 0;
	return end;
}

static const char *swap_items(struct swapper *s, const char *pattern)
{
	while (*pattern && *pattern != ']' && !s->failed) {
		char c = *pattern++;

		if (c == 't')
			swap_text(s);
		else if (c == 'l')
			swap_texts(s);
		else if (c == '[')
			pattern = swap_counted(s, pattern);
		else
			swap_field(s, c);
	}
	return pattern;
}

static const struct {
	uint32_t id;
	const char *pattern;
} feature_patterns[] = {
	{ SONDE_FEAT_TRACING_DATA, "" },     { SONDE_FEAT_HOSTNAME, "t" },
	{ SONDE_FEAT_OSRELEASE, "t" },       { SONDE_FEAT_VERSION, "t" },
	{ SONDE_FEAT_ARCH, "t" },            { SONDE_FEAT_NRCPUS, "44" },
	{ SONDE_FEAT_CPUDESC, "t" },         { SONDE_FEAT_CPUID, "t" },
	{ SONDE_FEAT_TOTAL_MEM, "8" },       { SONDE_FEAT_CMDLINE, "l" },
	{ SONDE_FEAT_NUMA_TOPOLOGY, "[488t]" }, { SONDE_FEAT_BRANCH_STACK, "" },
	{ SONDE_FEAT_PMU_MAPPINGS, "[4t]" }, { SONDE_FEAT_GROUP_DESC, "[t44]" },
	{ SONDE_FEAT_STAT, "" },             { SONDE_FEAT_CACHE, "4[4444ttt]" },
	{ SONDE_FEAT_SAMPLE_TIME, "88" },    { SONDE_FEAT_CLOCKID, "8" },
	{ SONDE_FEAT_DIR_FORMAT, "8" },      { SONDE_FEAT_COMPRESSED, "44444" },
	{ SONDE_FEAT_CPU_PMU_CAPS, "[tt]" }, { SONDE_FEAT_CLOCK_DATA, "4488" },
	{ SONDE_FEAT_HYBRID_TOPOLOGY, "[tt]" }, { SONDE_FEAT_PMU_CAPS, "[[tt]t]" },
	{ SONDE_FEAT_E_MACHINE, "44" },      { SONDE_FEAT_CLN_SIZE, "4" },
	{ SONDE_FEAT_META_INFO, "" },        /* texts that end with a NUL */
};

/* Entries are records but for their type; in the oldest there is a longer build id where others have the pid. */
static void swap_build_ids(struct swapper *s)
{
	bool old = false;

	for (size_t at = 0; left(s) - at >= 36 && !old;) {
		uint16_t size = load_u16(s->p + at + 6, s->swap);

		old = left(s) - at >= 48 && memcmp(s->p + at + 36, "nel.kallsyms", 12) == 0;
		if (size < 36 || size > left(s) - at)
			break;
		at += size;
	}
	while (left(s) >= 36) {
		struct swapper entry = *s;
		uint16_t size = load_u16(s->p + 6, s->swap);

		if (size < 36 || size > left(s))
			break;
		swap_pattern(&entry, old ? "422" : "4224");
		s->p += size;
	}
}

static void swap_event_desc(struct swapper *s)
{
	uint32_t nr = swap_u32(s), size = swap_u32(s);

	for (; nr && !s->failed; nr--) {
		uint8_t *p = size >= ATTR_SIZE_VER0 ? take(s, size) : NULL;
		uint32_t nr_ids;

		if (!p) {
			s->failed = true;
			return;
		}
		swap_attr(p, size, s->swap);
		nr_ids = swap_u32(s);
		swap_text(s);
		while (nr_ids-- && !s->failed)
			swap_u64(s);
	}
}

/* Cores, threads, then two numbers per CPU; dies, and one number per CPU. */
static void swap_cpu_topology(struct swapper *s, uint32_t nr_cpus)
{
	swap_texts(s);
	swap_texts(s);
	if (!left(s) || s->failed)
		return;
	for (uint32_t i = 0; i < nr_cpus && !s->failed; i++) {
		swap_u32(s);
		swap_u32(s);
	}
	if (left(s)) {
		swap_texts(s);
		swap_pattern(s, "(4)");
	}
}

static void swap_auxtrace(struct swapper *s)
{
	swap_u64s(s);  /* simpleperf has no count before its entries */
}

static void swap_mem_topology(struct swapper *s)
{
	uint64_t nr;

	swap_pattern(s, "88");
	for (nr = swap_u64(s); nr && !s->failed; nr--) {
		uint64_t nbits;

		swap_pattern(s, "88");
		nbits = swap_u64(s);
		for (uint64_t i = 0; i < nbits / 64 + (nbits % 64 != 0) && !s->failed; i++)
			swap_u64(s);
	}
}

/* The entries hold the kernel's own structures. */
static const char *swap_bpf(struct swapper *s, bool info)
{
	uint32_t nr = swap_u32(s);

	for (uint32_t i = 0; i < nr && !s->failed; i++) {
		uint32_t a = swap_u32(s), b = swap_u32(s);

		if (info)
			swap_u64(s);
		skip(s, info ? (uint64_t)a + b : b);
	}
	return nr ? "descriptions of BPF programs, all but their sizes" : NULL;
}

static void swap_domains(struct swapper *s, uint32_t nr_domains, bool named)
{
	for (; nr_domains && !s->failed; nr_domains--) {
		swap_u32(s);
		if (named) {
			swap_text(s);
			swap_text(s);
			swap_text(s);
		}
	}
}

static void swap_cpu_domain_info(struct swapper *s)
{
	bool named = swap_u32(s) >= 17;

	swap_u32(s);
	while (left(s) >= 8 && !s->failed) {
		swap_u32(s);
		swap_domains(s, swap_u32(s), named);
	}
}

const char *swap_feature(uint32_t id, uint8_t *p, size_t n, bool swap, uint32_t nr_cpus)
{
	struct swapper s = { p, p + n, swap, false };
	const char *what = NULL;
	size_t row;

	if (n == 0)
		return NULL;
	for (row = 0; row < ARRAY_SIZE(feature_patterns) && feature_patterns[row].id != id; row++)
		;
	if (row < ARRAY_SIZE(feature_patterns))
		swap_items(&s, feature_patterns[row].pattern);
	else if (id == SONDE_FEAT_BUILD_ID)
		swap_build_ids(&s);
	else if (id == SONDE_FEAT_EVENT_DESC)
		swap_event_desc(&s);
	else if (id == SONDE_FEAT_CPU_TOPOLOGY)
		swap_cpu_topology(&s, nr_cpus);
	else if (id == SONDE_FEAT_AUXTRACE)
		swap_auxtrace(&s);
	else if (id == SONDE_FEAT_MEM_TOPOLOGY)
		swap_mem_topology(&s);
	else if (id == SONDE_FEAT_BPF_PROG_INFO || id == SONDE_FEAT_BPF_BTF)
		what = swap_bpf(&s, id == SONDE_FEAT_BPF_PROG_INFO);
	else if (id == SONDE_FEAT_CPU_DOMAIN_INFO)
		swap_cpu_domain_info(&s);
	else
		return "header features that are not known";
	return s.failed ? "header features that contradict themselves, from where they do" : what;
}
