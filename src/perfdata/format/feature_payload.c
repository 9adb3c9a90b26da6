/* SPDX-License-Identifier: MIT */
#include "perfdata/format/feature_payload.h"

const char *feat_copy(struct cursor *c, struct arena *a, struct sonde_str s)
{
	char *copy = cur_ok(c) ? arena_strndup(a, s.p, s.len) : NULL;

	if (cur_ok(c) && !copy) {
		err_nomem(c->err);
		c->failed = true;
	}
	return copy;
}

const char *feat_str(struct cursor *c, struct arena *a)
{
	return feat_copy(c, a, cur_str(c, cur_u32(c)));
}

int feat_str_list(struct cursor *c, struct arena *a, const char ***out, size_t *nr)
{
	uint64_t n = feat_count(c, cur_u32(c), FEAT_STR_MIN);
	const char **list = feat_array(c, a, n, sizeof(*list));

	for (uint64_t i = 0; i < n && cur_ok(c); i++)
		list[i] = feat_str(c, a);
	if (!cur_ok(c))
		return feat_status(c);
	*out = list;
	*nr = n;
	return 0;
}

int feat_status(struct cursor *c)
{
	if (cur_ok(c))
		return 0;
	return c->err && c->err->code ? -(int)c->err->code : -SONDE_TRUNCATED;
}

void *feat_array(struct cursor *c, struct arena *a, uint64_t n, size_t size)
{
	void *p = cur_ok(c) ? arena_calloc(a, n ? n : 1, size) : NULL;

	if (cur_ok(c) && !p) {
		err_nomem(c->err);
		c->failed = true;
	}
	return p;
}

void enc_str(struct encoder *e, const char *s)
{
	size_t len = s ? strlen(s) : 0;
	size_t padded = ALIGN_UP(len + 1, (size_t)FEAT_STR_ALIGN);

	enc_u32(e, (uint32_t)padded);
	buf_put(e->out, s ? s : "", len);
	buf_pad(e->out, 0, padded - len);
}

void enc_str_list(struct encoder *e, const char *const *s, size_t nr)
{
	enc_u32(e, (uint32_t)nr);
	for (size_t i = 0; i < nr; i++)
		enc_str(e, s[i]);
}

void print_str(struct buf *out, const char *s)
{
	if (s)
		buf_text(out, s, strlen(s));
}

void print_text(struct buf *out, const char *label, const char *text)
{
	buf_printf(out, "# %s : ", label);
	print_str(out, text);
	buf_char(out, '\n');
}
