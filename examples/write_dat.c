/* SPDX-License-Identifier: MIT */
/* write_dat.c - write a trace.dat with a thousand made-up events: write_dat FILE [6|7 [none|zlib|zstd]] */
#include <sonde/dat_writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char format[] =
	"name: tick\nID: 42\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned long long number;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"number=%llu\", REC->number\n";

static int write_events(struct sonde_dat_writer *w, int other)
{
	int r = 0;

	for (unsigned i = 0; i < 1000 && r == 0; i++) {
		struct {
			unsigned short type;
			unsigned char flags, preempt;
			int pid;
			unsigned long long number;
		} tick = { .type = 42, .pid = 7, .number = i };
		uint32_t buffer = i % 10 ? 0 : (uint32_t)other;

		r = sonde_dat_writer_write(w, buffer, i % 2, 1000000000ULL + i * 1000, &tick, sizeof(tick));
	}
	return r;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "none", "zlib", "zstd" };
	struct sonde_dat_writer_opts opts = { .sz = sizeof(opts), .version = argc > 2 ? (uint32_t)atoi(argv[2]) : 0 };
	struct sonde_dat_writer *w = sonde_dat_writer_new();
	int r, other = 0;

	if (argc < 2 || !w)
		return 2;
	for (int i = 0; i < 3 && argc > 3; i++)
		if (strcmp(names[i], argv[3]) == 0)
			opts.compression = SONDE_COMPRESSION_NONE + i;
	r = sonde_dat_writer_open(w, argv[1], &opts);
	if (r == 0)
		r = sonde_dat_writer_add_format(w, "clock", format, strlen(format));
	if (r == 0)
		r = sonde_dat_writer_set_text(w, SONDE_DAT_CMDLINES, "7 clockwork\n", 12);
	if (r == 0)
		r = other = sonde_dat_writer_add_buffer(w, "other", NULL, 0);
	if (r >= 0)
		r = write_events(w, other);
	if (r == 0)
		r = sonde_dat_writer_finish(w);
	if (r < 0)
		fprintf(stderr, "%s\n", sonde_dat_writer_error(w)->text);
	sonde_dat_writer_free(w);
	return r < 0;
}
