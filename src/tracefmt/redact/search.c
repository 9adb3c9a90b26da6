/* SPDX-License-Identifier: MIT */
#include "tracefmt/redact/search.h"

#include "base/err.h"

static int still_there(const struct search_string *n, uint64_t at, struct sonde_error *err)
{
	return err_set(err, SONDE_CORRUPT, at, "the new file would still hold \"%.*s\", so it was not kept",
		       (int)n->len, n->p);
}

int redact_search(const struct multi_search *removed, unsigned kinds, const void *p, size_t n, uint64_t file_offset,
		  struct sonde_error *err)
{
	const struct search_string *one;
	size_t at;

	one = multi_search_find(removed, kinds, p, n, &at);
	return one ? still_there(one, file_offset + at, err) : 0;
}

/* Window by window; each begins so far before the end of the last one that nothing is missed between them. */
int redact_search_file(const struct multi_search *removed, struct image *im, struct sonde_error *err)
{
	uint64_t overlap = removed->longest, at = 0;
	const uint8_t *p;
	size_t n;
	int r = 0;

	while (r == 0 && at < im->size) {
		p = image_view_some(im, at, IMAGE_VIEW_MAX, &n);
		if (!p || n == 0)
			return image_failed(im, err);
		r = redact_search(removed, SEARCH_ANYWHERE, p, n, at, err);
		at += n > overlap && at + n < im->size ? n - overlap : n;
	}
	return r;
}
