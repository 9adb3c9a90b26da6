/* SPDX-License-Identifier: MIT */
#include "perfdata/read/walk_loss.h"

void walk_lose(struct walk *w, uint64_t place, enum sonde_loss_kind kind, uint64_t count, const char *what)
{
	struct ledger *l = &w->f->base.ledger;

	if (!walk_owns_ledger(w))
		return;
	if (w->part)
		ledger_add(l, kind, count, place, SONDE_NONE, -1, "%s (in %s)", what, w->f->parts.at[w->part].name);
	else
		ledger_add(l, kind, count, place, SONDE_NONE, -1, "%s", what);
}
