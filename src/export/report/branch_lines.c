/* SPDX-License-Identifier: MIT */
#include "export/report/branch_lines.h"

#include "export/sample_text.h"

static void put_share(struct buf *b, const char *name, uint64_t n, uint64_t sum)
{
	if (n && name[0])
		buf_printf(b, "%8s: %5.1f%%\n", name, 100.0 * (double)n / (double)sum);
}

void report_put_branch_kinds(struct buf *b, const struct branch_kinds *k)
{
	uint64_t sum = branch_kinds_sum(k);

	if (!sum)
		return;
	buf_str(b, "\n\n#\n# Branch Statistics:\n#\n");
	put_share(b, "COND_FWD", k->forward, sum);
	put_share(b, "COND_BWD", k->backward, sum);
	put_share(b, "CROSS_4K", k->other_4k, sum);
	put_share(b, "CROSS_2M", k->other_2m, sum);
	for (uint32_t i = 1; i < BRANCH_KINDS; i++)
		put_share(b, text_branch_kind(i), k->branches[i], sum);
}
