/* SPDX-License-Identifier: MIT */
#include "record/event/kernel_attr.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"

/* Fields after the struct of older headers: config3 of Linux 6.3, config4 of 6.19. */
#define CONFIG3_AT 128
#define CONFIG4_AT 136
#define FLAGS_AT 40
#define AUX_ACTION_AT 116
#define SIG_DATA_AT 120         /* of Linux 5.13 */

static uint64_t native_flags(uint64_t flags)
{
	uint64_t r = 0, precise = flags >> 15 & 3;

	if (!host_is_big_endian())
		return flags;
	/* Bit-fields fill from the other end there; precise_ip keeps the order of its two bits. */
	for (int i = 0; i < 64; i++)
		r |= (flags >> i & 1) << (63 - i);
	return (r & ~(UINT64_C(3) << 47)) | precise << 47;
}

void kernel_attr_encode(const struct sonde_attr *a, uint8_t out[KERNEL_ATTR_BYTES])
{
	uint64_t flags = native_flags(a->flags);
	struct perf_event_attr k;

	memset(&k, 0, sizeof(k));
	k.type = a->type;
	k.size = KERNEL_ATTR_BYTES;
	k.config = a->config;
	k.sample_period = a->sample_period;
	k.sample_type = a->sample_type;
	k.read_format = a->read_format;
	k.wakeup_events = a->wakeup_events;
	k.bp_type = a->bp_type;
	k.config1 = a->config1;
	k.config2 = a->config2;
	k.branch_sample_type = a->branch_sample_type;
	k.sample_regs_user = a->sample_regs_user;
	k.sample_stack_user = a->sample_stack_user;
	k.clockid = a->clockid;
	k.sample_regs_intr = a->sample_regs_intr;
	k.aux_watermark = a->aux_watermark;
	k.sample_max_stack = a->sample_max_stack;
	k.aux_sample_size = a->aux_sample_size;
	memset(out, 0, KERNEL_ATTR_BYTES);
	memcpy(out, &k, sizeof(k) < KERNEL_ATTR_BYTES ? sizeof(k) : KERNEL_ATTR_BYTES);
	memcpy(out + FLAGS_AT, &flags, sizeof(flags));
	memcpy(out + AUX_ACTION_AT, &a->aux_action, sizeof(a->aux_action));
	memcpy(out + SIG_DATA_AT, &a->sig_data, sizeof(a->sig_data));
	memcpy(out + CONFIG3_AT, &a->config3, sizeof(a->config3));
	memcpy(out + CONFIG4_AT, &a->config4, sizeof(a->config4));
}
