/* SPDX-License-Identifier: MIT */
/* feature_host.c - features that say which machine and tool recorded: names, versions, sizes, the command line. */
#include "perfdata/format/feature_host.h"

/* available, then online */
int nrcpus_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	uint32_t available = cur_u32(c), online = cur_u32(c);

	(void)a;
	if (!cur_ok(c))
		return feat_status(c);
	if (online > available)
		return err_set(c->err, SONDE_CORRUPT, c->at - 8, "%" PRIu32 " CPUs online of %" PRIu32, online,
			       available);
	meta->nr_cpus_available = available;
	meta->nr_cpus_online = online;
	return 0;
}

void nrcpus_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# nrcpus online : %" PRIu32 "\n# nrcpus avail : %" PRIu32 "\n", meta->nr_cpus_online,
		   meta->nr_cpus_available);
}

void total_mem_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# total memory : %" PRIu64 " kB\n", meta->total_mem_kb);
}

void cmdline_print(struct buf *out, const struct meta *meta)
{
	buf_str(out, "# cmdline : ");
	for (size_t i = 0; i < meta->nr_cmdline; i++) {
		print_str(out, meta->cmdline[i]);
		buf_char(out, ' ');
	}
	buf_char(out, '\n');
}

void e_machine_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# e_machine : %" PRIu32 "\n#   e_flags : %" PRIu32 "\n", meta->e_machine, meta->e_flags);
}

void cln_size_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# cacheline size: %" PRIu32 "\n", meta->cache_line_size);
}
