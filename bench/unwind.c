/* SPDX-License-Identifier: MIT */
/*
 * unwind.c - how many samples one core unwinds once the binaries are known: this process's own stack of 20 frames,
 * copied as the kernel copies it
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "unwind/walk.h"

#ifdef __x86_64__

enum { STACK_BYTES = 8192, LEVELS = 15, SAMPLES = 100000, RUNS = 5, FRAMES_MOST = 127, MAPPINGS_MOST = 64 };

static const double GOAL_SAMPLES_PER_S = 100e3;

/* ax bx cx dx si di bp sp ip, and r8 to r15 from bit 16 on */
#define MASK (UINT64_C(0x1ff) | UINT64_C(0xff) << 16)

static uint64_t regs[17];
static uint8_t stack[STACK_BYTES];
static size_t stack_bytes;
extern void *__libc_stack_end;       /* the stack pointer at the start of the process */
static struct maps_pool pool;
static maps_root maps;
static volatile int sum;

static void die(const char *why)
{
	fprintf(stderr, "bench-unwind: %s\n", why);
	exit(1);
}

__attribute__((noinline)) static void take(void)
{
	static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
				     REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
	ucontext_t here;

	getcontext(&here);
	for (size_t i = 0; i < 17; i++)
		regs[i] = (uint64_t)here.uc_mcontext.gregs[order[i]];
	stack_bytes = (uintptr_t)__libc_stack_end - regs[7];
	if (stack_bytes > sizeof(stack))
		die("the stack is too large");
	memcpy(stack, (const void *)(uintptr_t)regs[7], stack_bytes);
}

__attribute__((noinline)) static void descend(int levels)
{
	volatile char room[64];

	room[0] = 1;
	if (levels)
		descend(levels - 1);
	else
		take();
	sum += room[0];              /* no tail call */
}

static void read_maps(void)
{
	static struct binary binaries[MAPPINGS_MOST];
	static char names[MAPPINGS_MOST][256];
	uint32_t n = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512], prot[8];
	uint64_t start, end, pgoff;

	while (f && n < MAPPINGS_MOST && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %255s", &start, &end, prot, &pgoff,
			   names[n]) != 5 || prot[2] != 'x' || names[n][0] != '/')
			continue;
		binaries[n] = (struct binary){ .index = n, .kind = BINARY_FILE, .name = names[n], .pid = -1 };
		if (maps_insert(&pool, maps,
				&(struct mapping){ .start = start, .end = end, .pgoff = pgoff, .binary = &binaries[n] },
				&maps) < 0)
			die("out of memory");
		n++;
	}
	if (f)
		fclose(f);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void)
{
	struct symbols *symbols = symbols_new(&(struct symbols_opts){ .cache_dir = "", .buildid_dir = "" });
	struct unwinder u = { .images = unwind_images_new(symbols) };
	struct sample s = { .user_regs = { .abi = PERF_SAMPLE_REGS_ABI_64, .mask = MASK,
					   .values = { .p = (const uint8_t *)regs, .nr = 17 } },
			    .user_stack = { stack, 0 } };
	double best = 0;

	descend(LEVELS);
	s.user_stack.len = stack_bytes;
	read_maps();
	for (int run = 0; run <= RUNS; run++) {
		double began = seconds(), speed;

		for (int i = 0; i < SAMPLES; i++)
			if (unwind_walk(&u, &s, "x86_64", false, maps, FRAMES_MOST) < 0 || u.end != UNWIND_COMPLETE)
				die("the stack is not complete");
		speed = SAMPLES / (seconds() - began);
		if (run && speed > best)  /* the first run opens the binaries */
			best = speed;
	}
	printf("unwind  %.0f stacks/s  %zu frames each  %.2fx of %.0f\n", best, u.ips.n, best / GOAL_SAMPLES_PER_S,
	       GOAL_SAMPLES_PER_S);
	unwinder_free(&u);
	unwind_images_free(u.images);
	symbols_free(symbols);
	maps_pool_free(&pool);
	return best >= GOAL_SAMPLES_PER_S ? 0 : 1;
}

#else

int main(void)
{
	puts("unwind: registers of this architecture are not taken");
	return 0;
}

#endif
