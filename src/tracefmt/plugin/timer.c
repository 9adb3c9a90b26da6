/* SPDX-License-Identifier: MIT */
/* timer.c - timers with the names of their functions */
#include "tracefmt/context.h"
#include "tracefmt/plugin/plugins.h"

enum { HRTIMER, FUNCTION, EXPIRES, SOFTEXPIRES, NOW = EXPIRES };

static void print_number(const struct printing *p, const char *name, unsigned i)
{
	printing_str(p, name);
	seq_decimal(p->out, printing_u64(p, i));
}

static void print_timer(const struct printing *p)
{
	printing_str(p, "hrtimer=0x");
	seq_hex(p->out, printing_u64(p, HRTIMER));
}

/* "name/0x0". Where the address is not the start of a function, trace-cmd subtracts the wrong way round;
 * its text is the rule here. */
static void print_callback(const struct printing *p)
{
	uint64_t address = printing_u64(p, FUNCTION), offset;
	struct sonde_str name;

	printing_str(p, " function=");
	if (context_symbol(p->event, p->context, address, &name, &offset)) {
		seq_text(p->out, (const uint8_t *)name.p, name.len);
		seq_put(p->out, "/0x", 3);
		seq_hex(p->out, -offset);
	} else {
		seq_put(p->out, "0x", 2);
		seq_hex_zero(p->out, address, 8);
	}
}

bool print_hrtimer_start(const struct printing *p)
{
	print_timer(p);
	print_callback(p);
	print_number(p, " expires=", EXPIRES);
	print_number(p, " softexpires=", SOFTEXPIRES);
	return true;
}

bool print_hrtimer_expire(const struct printing *p)
{
	print_timer(p);
	print_number(p, " now=", NOW);
	print_callback(p);
	return true;
}
