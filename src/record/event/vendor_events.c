/* SPDX-License-Identifier: MIT */
#include "record/event/vendor_events.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/fmap.h"
#include "base/json_read.h"
#include "record/host/sysfile.h"

#define FILE_BYTES_MAX (64u << 20)
#define TERMS_BYTES 512
#define TERM_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=,."
#define FOLDERS_ABOVE 3

/* The fields of a row that are terms under another name; 0 is the same as nothing but for the event itself. */
static const struct {
	const char *field, *term;
} term_rows[] = {
	{ "UMask", "umask" }, { "CounterMask", "cmask" }, { "Invert", "inv" }, { "EdgeDetect", "edge" },
	{ "AnyThread", "any" }, { "PortMask", "ch_mask" }, { "FCMask", "fc_mask" }, { "RdWrMask", "rdwrmask" },
	{ "EnAllCores", "enallcores" }, { "EnAllSlices", "enallslices" }, { "SliceId", "sliceid" },
	{ "ThreadMask", "threadmask" }, { "NodeType", "type" }, { "SampleAfterValue", "period" },
};

/* The registers that a row names by MSRIndex, and the terms that MSRValue goes to. */
static const struct {
	unsigned long index;
	const char *term;
} register_rows[] = {
	{ 0x3f6, "ldlat" }, { 0x1a6, "offcore_rsp" }, { 0x1a7, "offcore_rsp" }, { 0x3f7, "frontend" },
};

/* The units that are not called as their PMUs. */
static const struct {
	const char *unit, *pmu;
} unit_rows[] = {
	{ "CBO", "uncore_cbox" }, { "QPI LL", "uncore_qpi" }, { "SBO", "uncore_sbox" }, { "iMPH-U", "uncore_arb" },
	{ "UPI LL", "uncore_upi" }, { "CPU-M-CF", "cpum_cf" }, { "CPU-M-SF", "cpum_sf" },
	{ "PAI-CRYPTO", "pai_crypto" }, { "PAI-EXT", "pai_ext" }, { "L3PMC", "amd_l3" },
	{ "DFPMC", "amd_df" }, { "UMCPMC", "amd_umc" },
	{ "cpu_core", "cpu_core" }, { "cpu_atom", "cpu_atom" }, { "core", NULL }, { "cpu", NULL },
	{ "default_core", NULL },
};

static const char *keep(struct vendor_events *v, const char *text)
{
	return text && *text ? arena_strndup(&v->arena, text, strlen(text)) : NULL;
}

static const char *keep_lower(struct vendor_events *v, const char *text)
{
	char *copy = arena_strndup(&v->arena, text, strlen(text));

	for (char *p = copy; p && *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

/* "IMC" is uncore_imc; "hisi_sccl,ddrc" and others with a comma or "uncore" are called as they are. */
static const char *pmu_of_unit(struct vendor_events *v, const char *unit)
{
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(unit_rows); i++)
		if (!strcasecmp(unit_rows[i].unit, unit))
			return unit_rows[i].pmu;
	snprintf(text, sizeof(text), "%s%s", strchr(unit, ',') || !strncasecmp(unit, "uncore", 6) ? "" : "uncore_",
		 unit);
	return keep_lower(v, text);
}

/* The first number of "0xA3" or "0xb7,0xbb"; false if there is none. */
static bool number(const char *text, unsigned long long *out)
{
	char *end;

	if (!text || !isdigit((unsigned char)*text))
		return false;
	*out = strtoull(text, &end, 0);
	return end != text;
}

static void append(char *terms, const char *term, unsigned long long value, bool decimal)
{
	size_t n = strlen(terms);

	snprintf(terms + n, TERMS_BYTES - n, decimal ? "%s%s=%llu" : "%s%s=%#llx", n ? "," : "", term, value);
}

/* "filter_opc=0x182,edge=1": terms as they are. */
static void append_filter(char *terms, const char *filter)
{
	size_t n = strlen(terms);

	if (filter && *filter && !filter[strspn(filter, TERM_CHARACTERS)])
		snprintf(terms + n, TERMS_BYTES - n, ",%s", filter);
}

static void make_terms(const struct json_row *row, char terms[TERMS_BYTES])
{
	unsigned long long code = 0, ext = 0, v, index;
	bool config = number(json_row_get(row, "ConfigCode"), &v);

	terms[0] = '\0';
	number(json_row_get(row, "EventCode"), &code);
	number(json_row_get(row, "ExtSel"), &ext);
	append(terms, config ? "config" : "event", config ? v : code | ext << 8, false);
	for (size_t i = 0; i < ARRAY_SIZE(term_rows); i++)
		if (number(json_row_get(row, term_rows[i].field), &v) && v)
			append(terms, term_rows[i].term, v, !strcmp(term_rows[i].term, "period"));
	append_filter(terms, json_row_get(row, "Filter"));
	if (!number(json_row_get(row, "MSRIndex"), &index) || !number(json_row_get(row, "MSRValue"), &v))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(register_rows); i++)
		if (register_rows[i].index == index)
			append(terms, register_rows[i].term, v, false);
}

static bool is_set(const char *text)
{
	return text && *text && strcmp(text, "0") != 0;
}

static void inherit(const char **field, const char *standard)
{
	if (!*field)
		*field = standard;
}

/* The event that several processors have, with the texts that the row has of its own. */
static void complete(struct vendor_event *e, const struct vendor_event *standard)
{
	e->name = standard->name;
	e->terms = standard->terms;
	inherit(&e->pmu, standard->pmu);
	inherit(&e->topic, standard->topic);
	inherit(&e->description, standard->description);
	inherit(&e->long_description, standard->long_description);
	inherit(&e->scale_unit, standard->scale_unit);
	e->per_pkg |= standard->per_pkg;
	e->deprecated |= standard->deprecated;
}

/* @topic: of the file. Rows of other tables have no name. */
static int add_row(struct vendor_events *v, const struct json_row *row, const char *topic)
{
	const char *metric = json_row_get(row, "MetricExpr"), *metric_name = json_row_get(row, "MetricName");
	const char *name = metric && metric_name ? metric_name : json_row_get(row, "EventName");
	const char *unit = json_row_get(row, "Unit"), *its_topic = json_row_get(row, "Topic");
	const char *brief = json_row_get(row, "BriefDescription"), *other = json_row_get(row, "Description");
	const char *arch_name = json_row_get(row, "ArchStdEvent");
	const struct vendor_event *standard = arch_name ? vendor_events_find(v->standard, arch_name) : NULL;
	char terms[TERMS_BYTES];
	struct vendor_event e = {
		.topic = its_topic && *its_topic ? keep(v, its_topic) : topic,
		.description = keep(v, brief ? brief : other),
		.long_description = keep(v, json_row_get(row, "PublicDescription")),
		.scale_unit = keep(v, json_row_get(row, "ScaleUnit")),
		.metric_group = keep(v, json_row_get(row, "MetricGroup")),
		.metric_threshold = keep(v, json_row_get(row, "MetricThreshold")),
		.per_pkg = is_set(json_row_get(row, "PerPkg")), .deprecated = is_set(json_row_get(row, "Deprecated")),
	};

	if ((!name || !*name) && !standard)
		return 0;
	e.pmu = unit && *unit ? pmu_of_unit(v, unit) : NULL;
	if (standard && !(metric && metric_name)) {
		complete(&e, standard);
	} else if (metric && metric_name) {
		e.name = keep(v, name);
		e.metric_expr = keep(v, metric);
	} else {
		make_terms(row, terms);
		e.name = keep_lower(v, name);
		e.terms = keep(v, terms);
	}
	return !e.name || vec_push(v, e) < 0 ? -SONDE_NOMEM : 0;
}

/* "cache" for "cache.json": the topic of what is in it */
static const char *topic_of(struct vendor_events *v, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
	char *topic = arena_strndup(&v->arena, name, dot ? (size_t)(dot - name) : strlen(name));

	for (char *p = topic; p && *p; p++)
		*p = *p == '-' ? ' ' : *p;
	return topic;
}

/* The rows of a file, unsorted. */
static int add_rows(struct vendor_events *v, const char *text, size_t size, const char *name, struct sonde_error *err)
{
	const char *topic = topic_of(v, name);
	struct arena arena = { 0 };
	struct json_row row = { 0 };
	struct json_reader r = json_reader(text, size, &arena);
	int e;

	json_reader_enter(&r, "Events");  /* Intel's own files are an object with the array in it */
	while ((e = json_read_row(&r, &row)) > 0) {
		e = add_row(v, &row, topic);
		if (e < 0)
			break;
		arena_free(&arena);
	}
	if (e == -SONDE_NOMEM)
		err_nomem(err);
	else if (e < 0)
		err_set(err, SONDE_CORRUPT, jcur_at(&r.cursor), "%.180s is no table of events in JSON", name);
	vec_free(&row.members);
	arena_free(&arena);
	return e;
}

static int by_name(const void *a, const void *b)
{
	const struct vendor_event *x = a, *y = b;
	int order = strcasecmp(x->name, y->name);

	if (order)
		return order;
	return strcmp(x->pmu ? x->pmu : "", y->pmu ? y->pmu : "");
}

int vendor_events_parse(struct vendor_events *v, const char *text, size_t size, const char *name,
			struct sonde_error *err)
{
	int e = add_rows(v, text, size, name, err);

	if (v->n)
		qsort(v->at, v->n, sizeof(*v->at), by_name);
	return e;
}

static int load_directory(struct vendor_events *v, const char *path, struct sonde_error *err);

/* "/a/b" of "/a/b/c"; false at the root */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return false;
	*slash = '\0';
	return true;
}

/*
 * perf keeps the events that processors share in the folder of their architecture, above those of the vendor and of the
 * processor. The nearest folder above that of the file counts that has such files.
 */
static int load_standard(struct vendor_events *v, const char *path)
{
	struct sonde_error ignored = { 0 };
	char *folder = realpath(path, NULL);
	int e = 0;

	v->standard = calloc(1, sizeof(*v->standard));
	if (!v->standard || !folder) {
		free(folder);
		return v->standard ? 0 : -SONDE_NOMEM;
	}
	v->standard->is_standard = true;
	go_up(folder);
	for (int i = 0; e == 0 && i < FOLDERS_ABOVE && v->standard->n == 0 && go_up(folder); i++) {
		e = load_directory(v->standard, folder, &ignored) == -SONDE_NOMEM ? -SONDE_NOMEM : 0;
		err_clear(&ignored);
	}
	free(folder);
	return e;
}

static int load_file(struct vendor_events *v, const char *path, struct sonde_error *err)
{
	struct fmap file = { 0 };
	int e = fmap_path(&file, path, FILE_BYTES_MAX, err);

	if (e < 0)
		return e;
	if (!v->standard && !v->is_standard && memmem(file.data, file.size, "ArchStdEvent", strlen("ArchStdEvent")) &&
	    load_standard(v, path) < 0)
		e = err_nomem(err);
	else
		e = vendor_events_parse(v, (const char *)file.data, file.size, path, err);
	fmap_close(&file);
	return e;
}

static int load_directory(struct vendor_events *v, const char *path, struct sonde_error *err)
{
	struct names names = { 0 };
	struct arena arena = { 0 };
	char file[4096];
	int e = sysfile_list(&arena, path, &names);

	if (e < 0)
		e = err_sys(err, -e, "cannot read %.180s", path);
	for (size_t i = 0; e == 0 && i < names.n; i++) {
		const char *dot = strrchr(names.at[i], '.');

		if (dot && !strcmp(dot, ".json") &&
		    snprintf(file, sizeof(file), "%s/%s", path, names.at[i]) < (int)sizeof(file))
			e = load_file(v, file, err);
		if (v->is_standard && e < 0 && e != -SONDE_NOMEM) {
			err_clear(err);
			e = 0;
		}
	}
	vec_free(&names);
	arena_free(&arena);
	return e;
}

int vendor_events_load(struct vendor_events *v, const char *path, struct sonde_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(err, errno, "cannot read %.180s", path);
	return S_ISDIR(st.st_mode) ? load_directory(v, path, err) : load_file(v, path, err);
}

const struct vendor_event *vendor_events_find(const struct vendor_events *v, const char *name)
{
	size_t low = 0, high = v ? v->n : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcasecmp(v->at[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return v && low < v->n && !strcasecmp(v->at[low].name, name) ? &v->at[low] : NULL;
}

const struct vendor_event *vendor_events_next(const struct vendor_events *v, const struct vendor_event *e)
{
	return e + 1 < v->at + v->n && !strcasecmp(e[1].name, e->name) ? e + 1 : NULL;
}

void vendor_events_free(struct vendor_events *v)
{
	if (v->standard)
		vendor_events_free(v->standard);
	free(v->standard);
	v->standard = NULL;
	vec_free(v);
	arena_free(&v->arena);
}
