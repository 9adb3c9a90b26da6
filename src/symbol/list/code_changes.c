/* SPDX-License-Identifier: MIT */
#include "symbol/list/code_changes.h"

#include <string.h>

static bool begins_trace(const struct code_change *change)
{
	return !change->old_len && !change->new_len;
}

static int add_bytes(struct code_changes *c, struct sonde_bytes bytes)
{
	if (vec_reserve(&c->bytes, bytes.len) < 0)
		return -SONDE_NOMEM;
	if (bytes.len)
		memcpy(c->bytes.at + c->bytes.n, bytes.p, bytes.len);
	c->bytes.n += bytes.len;
	return 0;
}

int code_changes_add(struct code_changes *c, uint64_t addr, struct sonde_bytes old, struct sonde_bytes new)
{
	const struct code_change change = { .addr = addr, .old_len = (uint16_t)old.len, .new_len = (uint16_t)new.len,
					    .at = c->bytes.n };

	if (begins_trace(&change))
		return 0;
	return add_bytes(c, old) < 0 || add_bytes(c, new) < 0 || vec_push(&c->list, change) < 0 ? -SONDE_NOMEM : 0;
}

int code_changes_begin_trace(struct code_changes *c)
{
	return c->list.n ? vec_push(&c->list, ((struct code_change){ 0 })) : 0;
}

static bool overlap(uint64_t addr, uint64_t size, uint64_t other, uint64_t other_size)
{
	return addr < other ? other - addr < size : addr - other < other_size;
}

bool code_change_touches(const struct code_change *change, uint64_t addr, uint64_t size)
{
	uint64_t len = change->old_len > change->new_len ? change->old_len : change->new_len;

	return len && size && overlap(change->addr, len, addr, size);
}

static void put(uint8_t *code, uint64_t addr, size_t size, uint64_t at, const uint8_t *bytes, size_t n)
{
	if (!n || !size || !overlap(at, n, addr, size))
		return;
	if (at < addr) {
		bytes += addr - at;
		n -= (size_t)(addr - at);
		at = addr;
	}
	if (n > size - (at - addr))
		n = size - (size_t)(at - addr);
	memcpy(code + (at - addr), bytes, n);
}

void code_changes_apply(const struct code_changes *c, size_t moment, uint64_t addr, uint8_t *code, size_t size)
{
	size_t first = moment, end = moment;

	while (first && !begins_trace(&c->list.at[first - 1]))
		first--;
	while (end < c->list.n && !begins_trace(&c->list.at[end]))
		end++;
	for (size_t i = end; i > moment; i--) {
		const struct code_change *later = &c->list.at[i - 1];

		put(code, addr, size, later->addr, c->bytes.at + later->at, later->old_len);
	}
	for (size_t i = first; i < moment; i++) {
		const struct code_change *before = &c->list.at[i];

		put(code, addr, size, before->addr, c->bytes.at + before->at + before->old_len, before->new_len);
	}
}

void code_changes_free(struct code_changes *c)
{
	vec_free(&c->list);
	vec_free(&c->bytes);
}
