/* SPDX-License-Identifier: MIT */
#include "export/script/output.h"

#include "base/digits.h"

const char *script_number(int32_t tid, char spare[SCRIPT_NUMBER])
{
	char *to = spare;

	*to++ = ':';
	if (tid < 0)
		*to++ = '-';
	to = digits_put_decimal(to, tid < 0 ? -(uint64_t)tid : (uint64_t)tid);
	*to = '\0';
	return spare;
}

const char *script_comm(const struct script *s, int32_t machine, int32_t pid, int32_t tid, char spare[SCRIPT_NUMBER])
{
	const char *comm = tasks_comm(&s->now.tasks, machine, pid, tid);

	return comm ? comm : script_number(tid, spare);
}

struct sample_printer script_printer(struct script *s)
{
	return (struct sample_printer){ .script = s,
					.heads = &s->heads,
					.addresses = &s->addresses,
					.chains = &s->chains,
					.out = &s->out->text };
}

int script_put_text(struct script_out *out)
{
	struct script_line *line;

	if (out->text.failed)
		return -SONDE_NOMEM;
	if (!out->text.n)
		return 0;
	line = ordered_pool_item(out->pool);
	if (!line)
		return -SONDE_NOMEM;
	line->is_text = true;
	line->text_size = out->text.n;
	out->text.n = 0;
	return ordered_pool_put(out->pool, (const uint8_t *)out->text.p, line->text_size);
}
