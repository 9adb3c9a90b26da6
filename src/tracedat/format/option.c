/* SPDX-License-Identifier: MIT */
#include "tracedat/format/option.h"

#include <inttypes.h>

#include "base/bytes.h"

static struct sonde_str rest_text(struct cursor *c)
{
	return cur_str(c, cur_left(c));
}

static void show_u32(struct buf *out, struct cursor *c)
{
	buf_u64(out, cur_u32(c));
}

static void show_section(struct buf *out, struct cursor *c)
{
	buf_printf(out, "section at 0x%" PRIx64, cur_u64(c));
}

static void show_traceid(struct buf *out, struct cursor *c)
{
	buf_printf(out, "0x%016" PRIx64, cur_u64(c));
}

static void show_buffer(struct buf *out, struct cursor *c)
{
	uint64_t at = cur_u64(c);
	struct sonde_str name = cur_left(c) ? rest_text(c) : (struct sonde_str){ "", 0 };

	buf_printf(out, "at 0x%" PRIx64 ", \"", at);
	buf_text(out, name.p, name.len);
	buf_char(out, '"');
}

/* The samples themselves are many. */
static void show_time_shift(struct buf *out, struct cursor *c)
{
	uint64_t peer = cur_u64(c);
	uint32_t flags = cur_u32(c), cpus = cur_u32(c);

	buf_printf(out, "clock of the trace 0x%016" PRIx64 "%s, samples of %u CPUs", peer,
		   flags & 1 ? ", interpolated" : "", cpus);
}

static void show_guest(struct buf *out, struct cursor *c)
{
	struct sonde_str name = cur_strz(c);
	uint64_t id = cur_u64(c);
	uint32_t n = cur_u32(c);

	buf_text(out, name.p, name.len);
	buf_printf(out, ", trace 0x%016" PRIx64 ", virtual CPU=thread", id);
	for (uint32_t i = 0; i < n && cur_left(c) >= 8; i++) {
		uint32_t vcpu = cur_u32(c);

		buf_printf(out, " %u=%u", vcpu, cur_u32(c));
	}
}

static void show_tsc2nsec(struct buf *out, struct cursor *c)
{
	uint32_t mult = cur_u32(c), shift = cur_u32(c);

	buf_printf(out, "ns = ticks * %u >> %u", mult, shift);
}

#define POINTER(name_) { .name = (name_), .show = show_section, .version_7 = true }

static const struct dat_option options[] = {
	[DAT_OPTION_DATE] = { "DATE" },
	[DAT_OPTION_CPUSTAT] = { "CPUSTAT" },
	[DAT_OPTION_BUFFER] = { "BUFFER", show_buffer },
	[DAT_OPTION_TRACECLOCK] = { "TRACECLOCK" },
	[DAT_OPTION_UNAME] = { "UNAME" },
	[DAT_OPTION_HOOK] = { "HOOK" },
	[DAT_OPTION_OFFSET] = { "OFFSET" },
	[DAT_OPTION_CPUCOUNT] = { "CPUCOUNT", show_u32 },
	[DAT_OPTION_VERSION] = { "VERSION" },
	[DAT_OPTION_PROCMAPS] = { "PROCMAPS" },
	[DAT_OPTION_TRACEID] = { "TRACEID", show_traceid },
	[DAT_OPTION_TIME_SHIFT] = { "TIME_SHIFT", show_time_shift },
	[DAT_OPTION_GUEST] = { "GUEST", show_guest },
	[DAT_OPTION_TSC2NSEC] = { "TSC2NSEC", show_tsc2nsec },
	[SECTION_HEADER_INFO] = POINTER("HEADER_INFO"),
	[SECTION_FTRACE_FORMATS] = POINTER("FTRACE_EVENTS"),
	[SECTION_EVENT_FORMATS] = POINTER("EVENT_FORMATS"),
	[SECTION_KALLSYMS] = POINTER("KALLSYMS"),
	[SECTION_PRINTK] = POINTER("PRINTK"),
	[SECTION_CMDLINES] = POINTER("CMDLINES"),
	[SECTION_BUFFER_TEXT] = { "BUFFER_TEXT", show_buffer, true },
	[SECTION_BTF] = POINTER("BTF_FILE"),
	[DAT_OPTION_LAST_BOOT_INFO] = { "LAST_BOOT_INFO" },
	[SECTION_MODULES] = POINTER("MODULES_FILE"),
};

const struct dat_option *dat_option_find(uint32_t id)
{
	return id < ARRAY_SIZE(options) && options[id].name ? &options[id] : NULL;
}

bool dat_option_points(uint32_t id)
{
	const struct dat_option *row = dat_option_find(id);

	return row && row->version_7;
}

bool dat_section_is_known(uint16_t id)
{
	return id == SECTION_OPTIONS || id == SECTION_BUFFER || id == SECTION_STRINGS || dat_option_points(id);
}

/* trace-cmd writes it in the order of its own machine, which need not be that of the file. */
uint32_t dat_option_cpus(uint16_t id, struct sonde_bytes data, bool swap)
{
	uint32_t n = id == DAT_OPTION_CPUCOUNT && data.len >= 4 ? load_u32(data.p, swap) : 0;

	n = n > DAT_CPUS_MAX ? bswap_32(n) : n;
	return n <= DAT_CPUS_MAX ? n : 0;
}

const char *sonde_option_name(uint32_t id)
{
	const struct dat_option *row = dat_option_find(id);

	return row ? row->name : NULL;
}

const char *dat_section_name(uint16_t id)
{
	const char *name = id == SECTION_STRINGS ? "STRINGS" : sonde_option_name(id);

	return id == SECTION_OPTIONS ? "OPTIONS" : name ? name : "section";
}

const char *dat_section_title(uint16_t id)
{
	static const char *const titles[SECTION_POINTERS] = {
		[SECTION_OPTIONS] = "options",
		[SECTION_BUFFER] = "buffer flyrecord",
		[SECTION_STRINGS] = "strings",
		[SECTION_HEADER_INFO] = "headers",
		[SECTION_FTRACE_FORMATS] = "ftrace events",
		[SECTION_EVENT_FORMATS] = "events format",
		[SECTION_KALLSYMS] = "kallsyms",
		[SECTION_PRINTK] = "printk",
		[SECTION_CMDLINES] = "command lines",
		[SECTION_BUFFER_TEXT] = "buffer latency",
		[SECTION_MODULES] = "modules",
	};

	return id < ARRAY_SIZE(titles) && titles[id] ? titles[id] : "";
}
