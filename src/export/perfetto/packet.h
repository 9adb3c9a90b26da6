/* SPDX-License-Identifier: MIT */
/* packet.h - a TracePacket of Perfetto: its fields and its beginning */
#ifndef EXPORT_PERFETTO_PACKET_H
#define EXPORT_PERFETTO_PACKET_H

#include "base/protobuf.h"

enum { PACKET = 1 };
enum { P_FTRACE = 1, P_TREE = 2, P_CLOCKS = 6, P_TIME = 8, P_SEQUENCE = 10, P_COUNT = 11, P_INTERNED = 12,
       P_FLAGS = 13, P_SYSTEM = 45, P_CLOCK = 58, P_DEFAULTS = 59, P_TRACK = 60, P_SAMPLE = 66, P_MACHINE = 98 };

/* The sequence of all packets but those of samples. */
enum { OWN_SEQUENCE = 1 };

/* Pids, tids and CPUs are numbers of their machine. */
static inline uint64_t key_in(uint32_t space, uint32_t number)
{
	return (uint64_t)space << 32 | number;
}

/* Where the packet begins, for pb_end(). */
static inline size_t packet_begin(struct buf *packets, uint32_t sequence, uint32_t space)
{
	size_t m = pb_begin(packets, PACKET);

	pb_u64(packets, P_SEQUENCE, sequence);
	if (space)
		pb_u64(packets, P_MACHINE, space);
	return m;
}

#endif
