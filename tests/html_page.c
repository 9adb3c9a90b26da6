/* SPDX-License-Identifier: MIT */
/*
 * html_page KIND > FILE - the page of a made-up profile, for what recordings at hand do not hold
 *
 *	hostile  names that would break out of their place if they were not escaped
 *	idle     two tasks, one of them idle nine tenths of the time, in the kernel
 *	large    200,000 nodes, deep and wide
 *	empty    no sample, and a note on what was lost
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "export/page/page.h"

static const struct html_frame hostile_frames[] = {
	{ "</script><img src=x onerror=alert(1)>", "/tmp/<b>bold</b>", HTML_USER },
	{ "<!--<script>", "/usr/lib/\"quoted\".so", HTML_KERNEL },
	{ "line\nbreak\xe2\x80\xa8 and \xe2\x80\xae right to left", "", HTML_JIT },
	{ "\xff\xfe not UTF-8 \xc0\xaf", "'single' & &amp;", HTML_UNKNOWN },
	{ "a\"b\\u003c\\", "javascript:alert(1)", HTML_USER },
	{ "__proto__", "constructor", HTML_USER },
	{ "\xe5\x87\xbd\xe6\x95\xb0 \xf0\x9f\x98\x80", "\xc3\xa9t\xc3\xa9.so", HTML_USER },
};

static const struct html_node hostile_nodes[] = {
	{ HTML_NO_PARENT, 0, 10, 1 }, { 0, 1, 20, 2 }, { 1, 2, 30, 3 }, { 2, 0, 5, 1 }, { 0, 3, 15, 2 }, { 4, 4, 4, 1 },
	{ HTML_NO_PARENT, 5, 8, 1 }, { 6, 6, UINT64_C(8), 1 },
};

static int write_hostile(struct buf *b)
{
	const struct html_info info[] = { { "Host", "<i>host</i>" },
					  { "Command line", "</script><script>alert(2)</script>" } };
	const char *const notes[] = { "<img src=x onerror=alert(6)>" };
	const struct html_event events[] = {
		{ "</select><img src=x onerror=alert(3)>", "", notes, ARRAY_SIZE(notes), hostile_nodes,
		  ARRAY_SIZE(hostile_nodes) },
		{ "second", "ns", NULL, 0, hostile_nodes, 1 },
	};
	const char *const losses[] = { "<img src=x onerror=alert(4)>", "3 samples lost" };
	const struct html_profile profile = {
		.title = "</title><script>alert(5)</script>", .info = info, .nr_info = ARRAY_SIZE(info),
		.losses = losses, .nr_losses = ARRAY_SIZE(losses),
		.frames = hostile_frames, .nr_frames = ARRAY_SIZE(hostile_frames),
		.events = events, .nr_events = ARRAY_SIZE(events),
	};

	return html_write(b, &profile);
}

static int write_idle(struct buf *b)
{
	static const struct html_frame frames[] = {
		{ "work", "/usr/bin/busy", HTML_USER },
		{ "rest", "/usr/bin/busy", HTML_USER },
		{ "default_idle", "[kernel.kallsyms]", HTML_KERNEL },
		{ "in_guest", "[guest.kernel.kallsyms]", HTML_KERNEL },
		{ "busy", "", HTML_TASK },
		{ "swapper", "", HTML_IDLE },
	};
	static const struct html_node nodes[] = {
		{ HTML_NO_PARENT, 4, 0, 0 }, { 0, 0, 150000000, 6 }, { 1, 3, 40000000, 2 }, { 0, 1, 10000000, 2 },
		{ HTML_NO_PARENT, 5, 0, 0 }, { 4, 2, 1800000000, 90 },
	};
	const struct html_info info[] = { { "Recorder", "sonde" }, { "Losses", "none known" } };
	const char *const notes[] = { "2 of 100 stacks were cut" };
	const struct html_event event = { "cpu-clock", "ns", notes, 1, nodes, ARRAY_SIZE(nodes) };
	const struct html_profile profile = {
		.title = "/opt/bin/sonde record -a", .wall_ns = 1000000000, .info = info, .nr_info = ARRAY_SIZE(info),
		.frames = frames, .nr_frames = ARRAY_SIZE(frames), .events = &event, .nr_events = 1,
	};

	return html_write(b, &profile);
}

#define LARGE_NODES 200000
#define LARGE_FRAMES 30000

static int write_large(struct buf *b)
{
	static struct html_frame frames[LARGE_FRAMES];
	static struct html_node nodes[LARGE_NODES];
	static char names[LARGE_FRAMES][40];
	const struct html_event event = { "cycles", "", NULL, 0, nodes, LARGE_NODES };
	const struct html_profile profile = {
		.title = "large", .frames = frames, .nr_frames = LARGE_FRAMES, .events = &event, .nr_events = 1,
	};
	uint64_t random = 1;

	for (uint32_t i = 0; i < LARGE_FRAMES; i++) {
		snprintf(names[i], sizeof(names[i]), "function_%u", i);
		frames[i] = (struct html_frame){ names[i], i % 3 ? "/usr/bin/large" : "/usr/lib/libc.so.6", HTML_USER };
	}
	for (uint32_t i = 0; i < LARGE_NODES; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		nodes[i] = (struct html_node){
			/* Chains up to 500 deep, each branching off one of the last twenty nodes */
			.parent = i % 500 == 0 ? HTML_NO_PARENT :
						 i - 1 - (uint32_t)((random >> 40) % (i % 500 < 20 ? i % 500 : 20)),
			.frame = (uint32_t)((random >> 33) % LARGE_FRAMES),
			.weight = random >> 50,
			.samples = 1,
		};
	}
	return html_write(b, &profile);
}

static int write_empty(struct buf *b)
{
	const char *const losses[] = { "The recorder lost 12 events" };
	const struct html_event event = { "cycles", "", NULL, 0, NULL, 0 };
	const struct html_profile profile = {
		.title = "sleep 1", .losses = losses, .nr_losses = 1, .events = &event, .nr_events = 1,
	};

	return html_write(b, &profile);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; int (*write)(struct buf *b);
	} kinds[] = {
		{ "hostile", write_hostile },
		{ "idle", write_idle },
		{ "large", write_large },
		{ "empty", write_empty },
	};
	struct buf b = BUF_TO(STDOUT_FILENO, NULL);
	int err = -SONDE_USAGE;

	for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(kinds); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			err = kinds[i].write(&b);
	if (err == 0)
		err = buf_flush(&b);
	buf_free(&b);
	return err < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
