/* SPDX-License-Identifier: MIT */
#include "order/file_order.h"

#include "base/err.h"
#include "base/vec.h"

enum { LOOK_REFS = 4096, LOOK_BYTES = 1 << 20 };  /* found by one look at most */

void file_order_start(struct file_order *o, struct reader *r, struct walk *walk)
{
	*o = (struct file_order){ .reader = r, .walk = walk, .state = 1 };
}

static void look(struct job *j)
{
	struct file_order *o = (struct file_order *)j;

	o->reader->ops->walk_ahead(o->walk, &o->ahead);
}

static void begin_look(struct file_order *o)
{
	o->ahead = (struct look_ahead){ .refs = &o->found, .max_refs = LOOK_REFS, .max_bytes = LOOK_BYTES };
	o->job.run = look;
	worker_give(o->reader->worker, &o->job);
}

/* After this nobody looks. */
static int end_look(struct file_order *o, struct sonde_error *err)
{
	const struct look_ahead *a = &o->ahead;

	if (!o->job.given)
		return 0;
	worker_wait(o->reader->worker, &o->job);
	o->reader->ops->walk_take_ahead(o->walk, a);
	if (a->mark.p) {
		if (vec_push(&o->found, a->mark) < 0)
			return err_nomem(err);
		o->reader->ops->pin(o->reader, &a->mark);
	}
	return a->nomem ? err_nomem(err) : 0;
}

/* The next record as it comes, which is added to those ready. */
static int take_next(struct file_order *o, struct sonde_error *err)
{
	struct record_ref ref;
	int r = o->reader->ops->walk_next(o->walk, &ref, err);

	if (r <= 0)
		return r;
	if (vec_push(&o->ready, ref) < 0)
		return err_nomem(err);
	o->reader->ops->pin(o->reader, &ref);
	return 1;
}

/* The records that another thread has found become ready; it looks on behind the next record. */
static void read_on(struct file_order *o)
{
	struct record_refs old = o->ready;

	o->state = end_look(o, &o->why);
	o->ready = o->found;
	o->found = old;
	o->found.n = o->out = 0;
	if (o->state == 0)
		o->state = take_next(o, &o->why);
	if (o->state > 0 && o->reader->ops->walk_ahead && reader_worker(o->reader))
		begin_look(o);
}

int file_order_next_run(struct file_order *o, size_t most, const struct record_ref **run, struct sonde_error *err)
{
	size_t n;

	if (o->out == o->ready.n) {
		o->reader->ops->unpin(o->reader, o->ready.at, o->ready.n);
		o->ready.n = o->out = 0;
		if (o->state > 0)
			read_on(o);
	}
	n = o->ready.n - o->out;
	if (n == 0) {
		if (o->state < 0 && err)
			*err = o->why;
		return o->state;
	}
	n = n < most ? n : most;
	*run = o->ready.at + o->out;
	o->out += n;
	return (int)n;
}

void file_order_end(struct file_order *o)
{
	if (!o->reader)
		return;
	end_look(o, NULL);
	o->reader->ops->unpin(o->reader, o->ready.at, o->ready.n);
	o->reader->ops->unpin(o->reader, o->found.at, o->found.n);
	vec_free(&o->ready);
	vec_free(&o->found);
	o->reader = NULL;
}
