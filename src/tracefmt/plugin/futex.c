/* SPDX-License-Identifier: MIT */
/* futex.c - futex(2): which operation, and those of its arguments that mean something to it */
#include "base/bytes.h"
#include "tracefmt/plugin/plugins.h"

#define PRIVATE_FLAG 128
#define CLOCK_REALTIME_FLAG 256

enum { UADDR, OP, VAL, UTIME, UADDR2, VAL3 };

/* How an argument is printed; what is no flag of a row is left out. */
enum { HEX_VAL = 1, COUNT = 2, TIMEOUT = 4, COUNT2 = 8, ADDRESS2 = 16, HEX_VAL3 = 32 };

static const struct operation {
	const char *name;
	uint8_t arguments;
} operations[] = {
	{ "FUTEX_WAIT", HEX_VAL | TIMEOUT },
	{ "FUTEX_WAKE", COUNT },
	{ "FUTEX_FD", COUNT },
	{ "FUTEX_REQUEUE", COUNT | COUNT2 | ADDRESS2 },
	{ "FUTEX_CMP_REQUEUE", COUNT | COUNT2 | ADDRESS2 | HEX_VAL3 },
	{ "FUTEX_WAKE_OP", COUNT | COUNT2 | ADDRESS2 | HEX_VAL3 },
	{ "FUTEX_LOCK_PI", TIMEOUT },
	{ "FUTEX_UNLOCK_PI", 0 },
	{ "FUTEX_TRYLOCK_PI", 0 },
	{ "FUTEX_WAIT_BITSET", HEX_VAL | TIMEOUT | HEX_VAL3 },
	{ "FUTEX_WAKE_BITSET", COUNT | HEX_VAL3 },
	{ "FUTEX_WAIT_REQUEUE_PI", HEX_VAL | TIMEOUT | ADDRESS2 | HEX_VAL3 },
	{ "FUTEX_CMP_REQUEUE_PI", COUNT | COUNT2 | ADDRESS2 | HEX_VAL3 },
};

static void print_hex(const struct printing *p, const char *name, unsigned i)
{
	printing_str(p, name);
	seq_hex_zero(p->out, printing_u64(p, i), 8);
}

static void print_decimal(const struct printing *p, const char *name, unsigned i)
{
	printing_str(p, name);
	seq_decimal(p->out, printing_u64(p, i));
}

bool print_futex(const struct printing *p)
{
	uint64_t op = printing_u64(p, OP), command = op & ~(uint64_t)(PRIVATE_FLAG | CLOCK_REALTIME_FLAG);
	const struct operation *o = command < ARRAY_SIZE(operations) ? &operations[command] : NULL;

	if (!o)
		return false;
	printing_str(p, "op=");
	printing_str(p, o->name);
	if (op & PRIVATE_FLAG)
		printing_str(p, "|FUTEX_PRIVATE_FLAG");
	if (op & CLOCK_REALTIME_FLAG)
		printing_str(p, "|FUTEX_CLOCK_REALTIME");
	print_hex(p, " uaddr=0x", UADDR);
	if (o->arguments & HEX_VAL)
		print_hex(p, " val=0x", VAL);
	if (o->arguments & COUNT)
		print_decimal(p, " val=", VAL);
	if (o->arguments & TIMEOUT)
		print_hex(p, " utime=0x", UTIME);
	if (o->arguments & COUNT2)   /* not a time then */
		print_decimal(p, " val2=", UTIME);
	if (o->arguments & ADDRESS2)
		print_hex(p, " uaddr2=0x", UADDR2);
	if (o->arguments & HEX_VAL3)
		print_hex(p, " val3=0x", VAL3);
	return true;
}
