/* SPDX-License-Identifier: MIT */
#include <sonde/check.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "api/base/error.h"
#include "api/base/text_output.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/opts.h"
#include "bundle/bundle.h"
#include "perfdata/scan/check.h"
#include "tracedat/format/header.h"
#include "tracedat/scan/check.h"
#include "tracedat/scan/rules.h"

/* The rules of all formats, one table after the other. */
static const struct sonde_check_rule all_rules[] = { RULES(CHECK_RULE) DAT_RULES(CHECK_RULE) };

const struct sonde_check_rule *sonde_check_rule_at(size_t i)
{
	return i < ARRAY_SIZE(all_rules) ? &all_rules[i] : NULL;
}

/* Passes findings to the caller, with the rule of the common table instead of the format's own. */
struct relay {
	sonde_finding_fn fn;
	void *ctx;
	const struct sonde_check_rule *table, *common;
};

static int relay(void *ctx, const struct sonde_finding *finding)
{
	const struct relay *to = ctx;
	struct sonde_finding same = *finding;

	same.rule = to->common + (finding->rule - to->table);
	return to->fn(to->ctx, &same);
}

/* Every member of a bundle. */
static void check_bundle(const char *path, bool dat, struct findings *f)
{
	struct sonde_error err = { .sz = sizeof(err), .file_offset = SONDE_NONE };
	const struct bundle_member *m;
	struct bundle *b = NULL;
	uint8_t *bytes;
	int r = path ? bundle_open(&b, path, &err) : 0;

	for (size_t i = 0; r > 0 && (m = bundle_at(b, i)); i++) {
		r = bundle_unpack(b, m, &bytes, &err) < 0 ? -SONDE_CORRUPT : 1;
		free(bytes);
	}
	if (r < 0 && dat)
		dat_found(f, DAT_CHECK_BUNDLE_DAMAGED, err.file_offset, "bundle", "a sound bundle", "%s", err.text);
	else if (r < 0)
		found(f, CHECK_BUNDLE_DAMAGED, err.file_offset, "bundle", "a sound bundle", "%s", err.text);
	bundle_free(b);
}

/* Closes the image. */
static int check_image(struct image *im, const struct sonde_check_opts *opts, struct sonde_check_result *out,
		       struct sonde_error *err)
{
	struct relay to = { OPT(opts, fn, NULL), OPT(opts, ctx, NULL), check_rules, all_rules };
	struct findings f = { .fn = to.fn ? relay : NULL, .ctx = &to };
	struct sonde_check_result result = { .sz = sizeof(result), .bytes = im->size };
	size_t n;
	const uint8_t *p = image_view_some(im, 0, 16, &n);
	int r;

	im->progress = (struct image_progress){ OPT(opts, progress, NULL), OPT(opts, progress_ctx, NULL) };
	if (p && im->dir_fd < 0 && dat_header_probe(p, n)) {
		to.table = dat_check_rules;
		to.common = all_rules + NR_CHECK_RULES;
		r = dat_check(im, &f, &result.records, err);
	} else {
		r = perfdata_check(im, &f, &result.records, err);
	}
	if (r == 0)
		check_bundle(im->path, to.table != check_rules, &f);

	if (im->progress.fn)
		im->progress.fn(im->progress.ctx, 1);
	image_close(im);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(f.severities); i++)
		result.severities[i] = f.severities[i];
	opts_give(out, &result, sizeof(result));
	return r;
}

/* Bytes of a result beyond the known members are output, so they are not checked. */
static int check_sizes(const struct sonde_check_opts *opts, const struct sonde_check_result *out,
		       struct sonde_error *err)
{
	int r = OPTS_CHECK(sonde_check_opts, opts, err);

	return r < 0 ? r : opts_check(out, SIZE_MAX, "struct sonde_check_result", err);
}

static int check_path(const char *path, const struct sonde_check_opts *opts, struct sonde_check_result *out,
		      struct sonde_error *err)
{
	struct image im;
	int r;

	err_clear(err);
	r = check_sizes(opts, out, err);
	if (r == 0)
		r = image_open(&im, path, err);
	return r < 0 ? r : check_image(&im, opts, out, err);
}

int sonde_check(const char *path, const struct sonde_check_opts *opts, struct sonde_check_result *out,
		struct sonde_error *err)
{
	WITH_ERROR(err, own, check_path(path, opts, out, &own));
}

static int check_memory(const void *data, size_t size, const struct sonde_check_opts *opts,
			struct sonde_check_result *out, struct sonde_error *err)
{
	struct image im;
	int r;

	err_clear(err);
	r = check_sizes(opts, out, err);
	if (r < 0)
		return r;
	image_memory(&im, data, size);
	return check_image(&im, opts, out, err);
}

int sonde_check_memory(const void *data, size_t size, const struct sonde_check_opts *opts,
		       struct sonde_check_result *out, struct sonde_error *err)
{
	WITH_ERROR(err, own, check_memory(data, size, opts, out, &own));
}

static const char *const severity_names[] = { "note", "warning", "error" };

struct finding_printer {
	struct buf out;
	struct json json;
	const char *path;
	bool as_json;
	uint64_t max_per_rule;
	uint64_t counts[ARRAY_SIZE(all_rules)];
};

static void print_json(struct finding_printer *p, const struct sonde_finding *f)
{
	json_object(&p->json);
	json_member_text(&p->json, "rule", f->rule->name);
	json_member_text(&p->json, "severity", severity_names[f->rule->severity]);
	json_key(&p->json, "offset");
	if (f->file_offset == SONDE_NONE)
		json_null(&p->json);
	else
		json_u64(&p->json, f->file_offset);
	json_member_text(&p->json, "where", f->where);
	json_member_text(&p->json, "expected", f->expected);
	json_member_text(&p->json, "found", f->found);
	json_end(&p->json);
}

static void print_text(struct finding_printer *p, const struct sonde_finding *f)
{
	buf_text(&p->out, p->path, strlen(p->path));
	if (f->file_offset != SONDE_NONE) {
		buf_str(&p->out, ": 0x");
		buf_hex(&p->out, f->file_offset);
	}
	buf_printf(&p->out, ": %s: %s: %s: %s: expected %s, found ", severity_names[f->rule->severity], f->rule->name,
		   f->where, f->rule->text, f->expected);
	buf_text(&p->out, f->found, strlen(f->found));
	buf_char(&p->out, '\n');
}

static int print_finding(void *ctx, const struct sonde_finding *f)
{
	struct finding_printer *p = ctx;
	uint64_t count = ++p->counts[f->rule - all_rules];

	if (p->max_per_rule && count > p->max_per_rule)
		return 0;
	if (p->as_json)
		print_json(p, f);
	else
		print_text(p, f);
	return p->out.failed;
}

static void finish_json(struct finding_printer *p, const struct sonde_check_result *r)
{
	json_end(&p->json);
	json_key(&p->json, "counts");
	json_object(&p->json);
	for (size_t i = 0; i < ARRAY_SIZE(all_rules); i++)
		if (p->counts[i])
			json_member_u64(&p->json, all_rules[i].name, p->counts[i]);
	json_end(&p->json);
	json_member_u64(&p->json, "notes", r->severities[SONDE_SEVERITY_NOTE]);
	json_member_u64(&p->json, "warnings", r->severities[SONDE_SEVERITY_WARNING]);
	json_member_u64(&p->json, "errors", r->severities[SONDE_SEVERITY_ERROR]);
	json_member_u64(&p->json, "records", r->records);
	json_member_u64(&p->json, "bytes", r->bytes);
	json_end(&p->json);
	buf_char(&p->out, '\n');
}

static void finish_text(struct finding_printer *p, const struct sonde_check_result *r)
{
	for (size_t i = 0; p->max_per_rule && i < ARRAY_SIZE(all_rules); i++)
		if (p->counts[i] > p->max_per_rule)
			buf_printf(&p->out, "%s: %s: %s: and %" PRIu64 " more\n", p->path,
				   severity_names[all_rules[i].severity], all_rules[i].name,
				   p->counts[i] - p->max_per_rule);
	buf_text(&p->out, p->path, strlen(p->path));
	buf_printf(&p->out, ": %" PRIu64 " records, %" PRIu64 " errors, %" PRIu64 " warnings, %" PRIu64 " notes\n",
		   r->records, r->severities[SONDE_SEVERITY_ERROR], r->severities[SONDE_SEVERITY_WARNING],
		   r->severities[SONDE_SEVERITY_NOTE]);
}

static int check_print(const char *path, const struct sonde_output *to, const struct sonde_check_print_opts *opts,
		       struct sonde_check_result *out, struct sonde_error *err)
{
	struct finding_printer p = { .out = text_output(to, err), .path = path, .as_json = OPT(opts, json, false),
			     .max_per_rule = OPT(opts, max_per_rule, 0) };
	const struct sonde_check_opts check = { .sz = sizeof(check), .fn = print_finding, .ctx = &p,
					 .progress = OPT(opts, progress, NULL),
					 .progress_ctx = OPT(opts, progress_ctx, NULL) };
	struct sonde_check_result r = { .sz = sizeof(r) };
	struct image im;
	int failed = OPTS_CHECK(sonde_check_print_opts, opts, err);

	if (failed == 0)
		failed = check_sizes(NULL, out, err);
	if (failed == 0)
		failed = image_open(&im, path, err);
	if (failed < 0)
		return failed;
	p.json = json_new(&p.out);
	if (p.as_json) {
		json_object(&p.json);
		json_member_u64(&p.json, "schema", 1);
		json_member_text(&p.json, "path", path);
		json_key(&p.json, "findings");
		json_array(&p.json);
	}
	failed = check_image(&im, &check, &r, err);
	if (failed == 0) {
		if (p.as_json)
			finish_json(&p, &r);
		else
			finish_text(&p, &r);
		failed = buf_flush(&p.out);
	}
	buf_free(&p.out);
	if (failed == 0)
		opts_give(out, &r, sizeof(r));
	return failed;
}

int sonde_check_print(const char *path, const struct sonde_output *to, const struct sonde_check_print_opts *opts,
		      struct sonde_check_result *out, struct sonde_error *err)
{
	WITH_ERROR(err, own, check_print(path, to, opts, out, &own));
}
