/* SPDX-License-Identifier: MIT */
#include "api/describe/describe_bundle.h"

#include <inttypes.h>

#include "api/trace/trace.h"
#include "bundle/bundle.h"

/* Adds up the members of the bundle; false if the file has none that can be read. */
static bool sum_up_bundle(const struct sonde_trace *t, size_t *members, uint64_t *bytes)
{
	const struct bundle_member *m;
	struct bundle *b;

	*bytes = 0;
	if (!t->path || bundle_open(&b, t->path, NULL) <= 0)
		return false;
	for (size_t i = 0; (m = bundle_at(b, i)); i++)
		*bytes += m->size;
	*members = bundle_count(b);
	bundle_free(b);
	return true;
}

void describe_bundle(struct buf *out, const struct sonde_trace *t)
{
	uint64_t bytes;
	size_t n;

	if (sum_up_bundle(t, &n, &bytes))
		buf_printf(out, "# bundle         : %zu %s, %" PRIu64 " bytes (sonde bundle --list)\n", n,
			   n == 1 ? "member" : "members", bytes);
}

void describe_bundle_json(struct json *j, const struct sonde_trace *t)
{
	uint64_t bytes;
	size_t n;

	if (!sum_up_bundle(t, &n, &bytes))
		return;
	json_key(j, "bundle");
	json_object(j);
	json_member_u64(j, "members", n);
	json_member_u64(j, "bytes", bytes);
	json_end(j);
}
