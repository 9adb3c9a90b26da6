/* SPDX-License-Identifier: MIT */
/* scsi.c - layouts: SCSI Block Commands (SBC-4), section 5 */
#include "tracefmt/scsi.h"

#include "base/bytes.h"

enum { UNMAP = 0x42, VARIABLE_LENGTH = 0x7f, SERVICE_ACTION_IN_16 = 0x9e };

/* Where a command has its first block and its number of blocks, big-endian. */
static const struct scsi_command {
	uint8_t operation, size, lba, lba_bytes, len, len_bytes;
	bool protect;                /* bits 5 to 7 of byte 1 */
	bool unmap;                  /* bit 3 of byte 1 */
} commands[] = {
	{ 0x08, 6, 1, 3, 4, 1, false, false },    /* READ(6) */
	{ 0x0a, 6, 1, 3, 4, 1, false, false },    /* WRITE(6) */
	{ 0x28, 10, 2, 4, 7, 2, true, false },    /* READ(10) */
	{ 0x2a, 10, 2, 4, 7, 2, true, false },    /* WRITE(10) */
	{ 0x2f, 10, 2, 4, 7, 2, true, false },    /* VERIFY(10) */
	{ 0x41, 10, 2, 4, 7, 2, true, true },     /* WRITE SAME(10) */
	{ 0xa8, 12, 2, 4, 6, 4, true, false },    /* READ(12) */
	{ 0xaa, 12, 2, 4, 6, 4, true, false },    /* WRITE(12) */
	{ 0xaf, 12, 2, 4, 6, 4, true, false },    /* VERIFY(12) */
	{ 0x88, 16, 2, 8, 10, 4, true, false },   /* READ(16) */
	{ 0x8a, 16, 2, 8, 10, 4, true, false },   /* WRITE(16) */
	{ 0x8f, 16, 2, 8, 10, 4, true, false },   /* VERIFY(16) */
	{ 0x93, 16, 2, 8, 10, 4, true, true },    /* WRITE SAME(16) */
};

/* By service action, in commands of variable length and in SERVICE ACTION IN(16). */
static const struct action {
	uint8_t action;
	const char *name;
} long_commands[] = { { 9, "READ" }, { 10, "VERIFY" }, { 11, "WRITE" }, { 13, "WRITE_SAME" } },
  queries[] = { { 0x10, "READ_CAPACITY_16" }, { 0x12, "GET_LBA_STATUS" } };

static uint64_t big(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

static void put(struct seq_buf *o, const char *name, uint64_t v)
{
	seq_put(o, name, strlen(name));
	seq_decimal(o, v);
}

static void print_blocks(struct seq_buf *o, const uint8_t *p, const struct scsi_command *c)
{
	uint64_t lba = big(p + c->lba, c->lba_bytes);

	put(o, "lba=", c->size == 6 ? lba & 0x1fffff : lba);
	put(o, " txlen=", big(p + c->len, c->len_bytes));
	if (c->protect)
		put(o, " protect=", p[1] >> 5);
	if (c->unmap)
		put(o, " unmap=", p[1] >> 3 & 1);
}

static const char *action_name(const struct action *all, size_t n, uint64_t action)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].action == action)
			return all[i].name;
	return NULL;
}

static bool print_long(struct seq_buf *o, const uint8_t *p)
{
	uint64_t action = big(p + 8, 2);
	const char *name = action_name(long_commands, ARRAY_SIZE(long_commands), action);

	if (!name)
		return false;
	seq_put(o, name, strlen(name));
	put(o, "_32 lba=", big(p + 12, 8));
	put(o, " txlen=", big(p + 28, 4));
	put(o, " protect=", p[10] >> 5);
	put(o, " ei_lbrt=", big(p + 20, 4));
	if (action == 13)
		put(o, " unmap=", p[10] >> 3 & 1);
	return true;
}

static bool print_query(struct seq_buf *o, const uint8_t *p)
{
	const char *name = action_name(queries, ARRAY_SIZE(queries), p[1] & 0x1f);

	if (!name)
		return false;
	seq_put(o, name, strlen(name));
	put(o, " lba=", big(p + 2, 8));
	put(o, " alloc_len=", big(p + 10, 4));
	return true;
}

static bool print_other(struct seq_buf *o, struct sonde_bytes cdb)
{
	if (cdb.p[0] == UNMAP && cdb.len >= 10) {
		uint64_t bytes = big(cdb.p + 7, 2);

		put(o, "regions=", bytes > 8 ? (bytes - 8) / 16 : 0);
		return true;
	}
	if (cdb.p[0] == VARIABLE_LENGTH && cdb.len >= 32)
		return print_long(o, cdb.p);
	return cdb.p[0] == SERVICE_ACTION_IN_16 && cdb.len >= 16 && print_query(o, cdb.p);
}

void scsi_print_command(struct seq_buf *o, struct sonde_bytes cdb)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands) && cdb.len; i++)
		if (commands[i].operation == cdb.p[0] && commands[i].size <= cdb.len) {
			print_blocks(o, cdb.p, &commands[i]);
			return;
		}
	if (!cdb.len || !print_other(o, cdb))
		seq_char(o, '-');
}
