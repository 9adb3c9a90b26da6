/* SPDX-License-Identifier: MIT */
/*
 * fake_aux.c - a kernel with a hardware trace, for LD_PRELOAD: the calls of a recorder meet it before the real one
 *
 * An event of the type that FAKE_AUX_TYPE names is opened as a dummy, and its attr goes to the file FAKE_AUX_LOG. An
 * AUX area is memory of this process: word N of the trace of area K is K << 32 | N. Each time the event is enabled, a
 * part of the trace more is there, up to FAKE_AUX_BYTES, and the log says "all" once these are read. A snapshot area is
 * full, and its oldest byte is at half of it. With FAKE_AUX_PATTERN, some words in hexadecimal bytes, the area has
 * these over and over, from its first word on.
 */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FDS_MAX 1024
#define ATTR_BYTES 128
#define ATTR_BYTES_MAX 144            /* that sonde passes */

static struct fake {
	int opened;                  /* its number, from 1 on; 0: no hardware trace */
	struct perf_event_mmap_page *page;
	uint64_t *area;
	uint64_t area_bytes;
	int full_trace;
} fakes[FDS_MAX];
static int nr_opened;

static uint64_t number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : 0;
}

static void tell(const char *what, const char *text)
{
	FILE *f = fopen(getenv("FAKE_AUX_LOG"), "a");

	if (f) {
		fprintf(f, "%s %s\n", what, text);
		fclose(f);
	}
}

static uint64_t pattern_word(const char *text)
{
	uint64_t word = 0;

	for (int i = 7; i >= 0; i--) {
		unsigned int byte = 0;

		sscanf(text + 2 * i, "%2x", &byte);
		word = word << 8 | byte;
	}
	return word;
}

static void fill(struct fake *f, uint64_t from, uint64_t to)
{
	const char *pattern = getenv("FAKE_AUX_PATTERN");
	uint64_t nr = pattern ? strlen(pattern) / 16 : 0;

	for (uint64_t at = from / 8; at < (to + 7) / 8; at++) {
		uint64_t place = at % (f->area_bytes / 8);

		f->area[place] = nr ? pattern_word(pattern + 16 * (place % nr)) : (uint64_t)f->opened << 32 | at;
	}
}

/* Half of the area; with a pattern, after a whole one. */
static uint64_t middle(uint64_t bytes)
{
	const char *pattern = getenv("FAKE_AUX_PATTERN");
	uint64_t record = pattern && *pattern ? strlen(pattern) / 2 : 1;

	return bytes / 2 - bytes / 2 % record;
}

/*
 * A third of the area, and no multiple of 8; with a pattern, whole ones: the hardware goes on at the begin of the area
 * when the next record is too long for its end.
 */
static uint64_t step(const struct fake *f, uint64_t head)
{
	const char *pattern = getenv("FAKE_AUX_PATTERN");
	uint64_t bytes = f->area_bytes / 3, record = pattern ? strlen(pattern) / 2 : 0;
	uint64_t rest = f->area_bytes - head % f->area_bytes;

	if (!record)
		return bytes;
	bytes -= bytes % record;
	return bytes > rest - rest % record ? rest : bytes;
}

/* The next part of the trace, if there is room for it. */
static void go_on(struct fake *f)
{
	uint64_t head, most = number("FAKE_AUX_BYTES"), next;

	if (!f->area || !f->full_trace)
		return;
	head = f->page->aux_head;
	if (f->page->aux_tail == most)
		tell("all", "");
	next = head + step(f, head);
	if (next > most)
		next = most;
	if (next - f->page->aux_tail > f->area_bytes)
		return;
	fill(f, head, next);
	__atomic_store_n(&f->page->aux_head, next, __ATOMIC_RELEASE);
}

/* Task, CPU and group, then the attr. */
static const char *describe(char *text, size_t max, const uint8_t *attr, const long *a)
{
	int at = snprintf(text, max, "%d %d %d ", (int)a[1], (int)a[2], (int)a[3]);

	for (int i = 0; i < ATTR_BYTES; i++)
		at += snprintf(text + at, max - (size_t)at, "%02x", attr[i]);
	return text;
}

long syscall(long n, ...)
{
	long (*real)(long n, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long a[6], fd;
	uint8_t attr[ATTR_BYTES_MAX];
	struct perf_event_attr *own = (struct perf_event_attr *)attr;
	char text[2 * ATTR_BYTES + 64];
	va_list ap;

	va_start(ap, n);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (n != SYS_perf_event_open)
		return real(n, a[0], a[1], a[2], a[3], a[4], a[5]);
	memcpy(attr, (void *)a[0], sizeof(attr));
	if (own->type != number("FAKE_AUX_TYPE")) {
		/* an event of the group: the real kernel would look for the trace */
		if (own->sample_type & PERF_SAMPLE_AUX)
			tell("sample", describe(text, sizeof(text), attr, a));
		own->sample_type &= ~(uint64_t)PERF_SAMPLE_AUX;
		own->aux_sample_size = 0;
		return real(n, attr, a[1], a[2], a[3], a[4], 0L);
	}
	tell("open", describe(text, sizeof(text), attr, a));
	own->type = PERF_TYPE_SOFTWARE;
	own->config = PERF_COUNT_SW_DUMMY;
	own->aux_watermark = 0;
	fd = real(n, attr, a[1], a[2], a[3], a[4], 0L);
	if (fd >= 0 && fd < FDS_MAX)
		fakes[fd] = (struct fake){ .opened = ++nr_opened };
	return fd;
}

/* With 64-bit offsets, mmap is mmap64. */
void *mmap(void *to, size_t bytes, int prot, int flags, int fd, off_t at)
{
	void *(*real)(void *, size_t, int, int, int, off_t) =
		(void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap64");
	struct fake *f = fd >= 0 && fd < FDS_MAX && fakes[fd].opened ? &fakes[fd] : NULL;
	void *p;

	if (!f || at == 0) {
		p = real(to, bytes, prot, flags, fd, at);
		if (f && p != MAP_FAILED)
			f->page = p;
		return p;
	}
	if ((uint64_t)at != f->page->aux_offset || bytes != f->page->aux_size || (bytes & (bytes - 1)))
		return MAP_FAILED;
	f->area = real(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	f->area_bytes = bytes;
	f->full_trace = prot & PROT_WRITE;
	if (!f->full_trace) {
		fill(f, middle(bytes), middle(bytes) + bytes);
		f->page->aux_head = middle(bytes);
	}
	go_on(f);
	return f->area;
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	struct fake *f = fd >= 0 && fd < FDS_MAX && fakes[fd].opened ? &fakes[fd] : NULL;
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (f && request == PERF_EVENT_IOC_SET_FILTER) {
		tell("filter", arg);
		return 0;
	}
	if (f && request == PERF_EVENT_IOC_ENABLE)
		go_on(f);
	return real(fd, request, arg);
}
