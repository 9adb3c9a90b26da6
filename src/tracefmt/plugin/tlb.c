/* SPDX-License-Identifier: MIT */
/* tlb.c - why address translations are flushed */
#include "base/bytes.h"
#include "tracefmt/plugin/plugins.h"

enum { REASON, PAGES };

bool print_tlb_flush(const struct printing *p)
{
	static const char *const reasons[] = { "flush on task switch", "remote shootdown", "local shootdown",
					       "local mm shootdown" };
	uint64_t reason = printing_u64(p, REASON);

	printing_str(p, "pages=");
	seq_signed(p->out, (int64_t)printing_u64(p, PAGES));
	printing_str(p, " reason=");
	if (reason < ARRAY_SIZE(reasons))
		printing_str(p, reasons[reason]);
	printing_str(p, " (");
	seq_signed(p->out, (int64_t)reason);
	seq_char(p->out, ')');
	return true;
}
