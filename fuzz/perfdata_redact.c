/* SPDX-License-Identifier: MIT */
/*
 * perfdata_redact.c - any bytes through `convert --redact`
 *
 * The output is a perf.data in which none of the names that were replaced is left: convert looks for them itself,
 * so a file that it keeps must open again.
 */
#include <sonde/rewrite.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void redact(const char *in, const char *out, bool pipe)
{
	struct sonde_convert_opts opts = { .sz = sizeof(opts),
					   .redact = true,
					   .to = pipe ? SONDE_FORM_PIPE : SONDE_FORM_FILE };
	struct sonde_rewrite *w = sonde_rewrite_new();
	struct sonde_trace *t;

	if (sonde_convert(w, in, out, &opts) == 0) {
		t = sonde_trace_new();
		if (sonde_trace_open(t, out, NULL) < 0)
			abort();
		sonde_trace_free(t);
		unlink(out);
	}
	sonde_rewrite_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char in[64], out[64];
	int fd = memfd_create("in", MFD_CLOEXEC);

	if (fd < 0 || size < 1 || write(fd, data, size) != (ssize_t)size)
		goto end;
	snprintf(in, sizeof(in), "/proc/self/fd/%d", fd);
	snprintf(out, sizeof(out), "/tmp/sonde-fuzz-redact.%d", (int)getpid());
	redact(in, out, data[size - 1] & 1);
end:
	if (fd >= 0)
		close(fd);
	return 0;
}
