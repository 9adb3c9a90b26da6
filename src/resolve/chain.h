/* SPDX-License-Identifier: MIT */
/*
 * chain.h - the call stack of a sample, whatever it is made of
 *
 *	recorded with the sample, or in a later record (--call-graph fp,defer) --+
 *	a copy of the stack and registers, unwound (dwarf)                       +--> one callchain, innermost
 *	the calls that the processor kept (lbr), and those of earlier samples    |    first, with markers of the
 *	kernel_stack and user_stack after their event in a trace.dat ------------+    mode: threads/callchain.h
 *	addresses of the kernel of an earlier boot, moved to this one                 walks along it
 *
 * A sample with the maps of its moment (resolve/moment.h) flows in, a struct callchain flows out, which says which of
 * its addresses are those to look up and which are where calls return to. chain_of() does all of it. A profile does it
 * in two steps on different threads: chain_recorded() where the sample is read, chain_unwind() where there is time.
 * Both give what chain_of() gives. What a finder gives is valid until its next call. A stack is never taken from
 * another event than its own: an event whose stack lies on another page of a trace.dat has none, and an address of
 * another boot that cannot be placed in this one becomes 0.
 */
#ifndef RESOLVE_CHAIN_H
#define RESOLVE_CHAIN_H

#include "base/vec.h"
#include "model/meta.h"
#include "resolve/copied_stack.h"
#include "threads/callchain.h"
#include "unwind/call_stacks.h"
#include "unwind/walk.h"

struct tracefmt;

/* The means of one thread to find stacks. {0} with unwinder.images, which are borrowed, is a new one. */
struct chain_finder {
	struct unwinder unwinder;
	struct call_stacks *call_stacks; /* of the recording at hand, for --stitch-lbr: needs every sample in order of
					  * time; NULL: each sample by itself */
	const struct tracefmt *kernel;   /* of the recording at hand, a trace.dat; else NULL */
	VEC(uint64_t) words;             /* of a chain that is not as recorded */
};

void chain_finder_free(struct chain_finder *f);

/*
 * The callchain as recorded: empty if there is none. Other threads may be reading the recording (@ev may be one of
 * reader_ops.load_sample()). 0 or -SONDE_NOMEM.
 */
int chain_recorded(struct chain_finder *f, const struct sonde_event *ev, struct u64s *out);

/*
 * The same for an event whose samples have copied stacks (copied_stack_expected()), and the copy with the calls of
 * earlier samples: views into the record of @ev, but for those calls, which are valid until the next sample of the
 * thread. @has_copied: false: this sample has none. 0 or -SONDE_NOMEM.
 */
int chain_copied(struct chain_finder *f, const struct sonde_event *ev, struct u64s *recorded,
		 struct copied_stack *copied, bool *has_copied);

/*
 * The callchain with what a copied stack gives in place of its user part.
 * @recorded: of chain_recorded(); @user: the maps of the process; @most: frames that are wanted
 * @out: @recorded itself if the copy gives nothing; else out->p is another one
 * unwinder.ips.n is not 0 if the addresses of the user part are those to look up; then unwinder.end tells how the stack
 * ended. 0 or -SONDE_NOMEM.
 */
int chain_unwind(struct chain_finder *f, const struct copied_stack *copied, const struct u64s *recorded, maps_root user,
		 uint32_t most, struct u64s *out);

/*
 * The callchain of a sample; without addresses (out->ips.nr is 0) if it has none.
 * @s: as event_sample() decodes it; @user, @most: as for chain_unwind()
 * 0 or -SONDE_NOMEM.
 */
int chain_of(struct chain_finder *f, const struct sonde_event *ev, const struct sample *s, maps_root user,
	     uint32_t most, struct callchain *out);

/*
 * The address and mode of the innermost frame of a chain, for samples without an address; false if it has none.
 * @cpumode: of the sample
 */
bool chain_first(const struct u64s *chain, uint8_t *cpumode, uint64_t *ip);

#endif
