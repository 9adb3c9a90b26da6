/* SPDX-License-Identifier: MIT */
#include "perfdata/read/walk_loss.h"

#include "perfdata/read/losses.h"

static const char *part_name(const struct walk *w)
{
	return w->part ? w->f->parts.at[w->part].name : NULL;
}

void walk_lose(struct walk *w, uint64_t place, enum sonde_loss_kind kind, uint64_t count, const char *name)
{
	if (walk_owns_ledger(w))
		losses_add(&w->f->base.ledger, kind, count, place, name, part_name(w));
}

void walk_lose_damage(const struct walk_bytes *b, const struct scanned *damage)
{
	struct scanned d = *damage;

	if (!walk_owns_ledger(b->walk) || (d.rule == CHECK_RECORD_UNWRITTEN && b->walk->f->unfinished))
		return;
	if (b->scan.unpacked) {
		d.at = walk_place(b);
		d.h = (struct record_header){ 0 };  /* at that place is a compressed record */
	}
	losses_add_damage(&b->walk->f->base.ledger, &d, part_name(b->walk));
}
