/* SPDX-License-Identifier: MIT */
/* The stack of this very process, copied as the kernel copies it, against backtrace() of libc. */
#include "unwind/walk.h"

#include <execinfo.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <cmocka.h>

#if defined(__x86_64__) && defined(__LP64__) && defined(__GLIBC__)

enum { FRAMES_MOST = 64, STACK_BYTES = 65536, LEVELS = 10, FRAMES_COPIED = 6 };

/* perf's order: ax bx cx dx si di bp sp ip, and r8 to r15 from bit 16 on */
#define MASK (UINT64_C(0x1ff) | UINT64_C(0xff) << 16)

struct snapshot {
	uint64_t regs[17];
	uint64_t stack[STACK_BYTES / 8];
	void *frames[FRAMES_MOST];
	int nr_frames;
	size_t stack_bytes;
};

extern void *__libc_stack_end;       /* the stack pointer at the start of the process */

static struct snapshot taken;
static volatile int sum;

/* Word by word, and without the sanitizer, which guards what lies between the variables. */
__attribute__((noinline, no_sanitize("address"))) static void copy_stack(uint64_t from, size_t bytes)
{
	const volatile uint64_t *p = (const volatile uint64_t *)(uintptr_t)from;

	for (size_t i = 0; i < bytes / 8; i++)
		taken.stack[i] = p[i];
}

/* The registers here and the callers that libc finds. */
__attribute__((noinline)) static void take(void)
{
	static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
				     REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
	ucontext_t here;

	taken.nr_frames = backtrace(taken.frames, FRAMES_MOST);
	getcontext(&here);
	for (size_t i = 0; i < 17; i++)
		taken.regs[i] = (uint64_t)here.uc_mcontext.gregs[order[i]];
	taken.stack_bytes = (uintptr_t)__libc_stack_end - taken.regs[7];
	assert_in_range(taken.stack_bytes, 1, STACK_BYTES);
	copy_stack(taken.regs[7], taken.stack_bytes);
}

__attribute__((noinline)) static void descend(int levels)
{
	volatile char room[100];

	room[levels] = 1;
	if (levels)
		descend(levels - 1);
	else
		take();
	sum += room[levels];         /* no tail call */
}

struct space {
	struct maps_pool pool;
	maps_root maps;
	struct binary binaries[64];
	char names[64][256];
	size_t n;
	struct symbols *symbols;
	struct unwind_images *images;
};

static void add_mapping(struct space *s, uint64_t start, uint64_t end, uint64_t pgoff, const char *name)
{
	struct binary *b = &s->binaries[s->n];

	strcpy(s->names[s->n], name);
	*b = (struct binary){ .index = (uint32_t)s->n, .kind = BINARY_OTHER, .name = s->names[s->n], .pid = -1 };
	if (name[0] == '/')
		b->kind = BINARY_FILE;
	else if (strcmp(name, "[vdso]") == 0)
		b->kind = BINARY_VDSO;
	s->n++;
	assert_int_equal(maps_insert(&s->pool, s->maps,
				     &(struct mapping){ .start = start, .end = end, .binary = b, .prot = 5,
							.pgoff = b->kind == BINARY_VDSO ? 0 : pgoff }, &s->maps), 0);
}

/* The executable mappings of this process. */
static void open_space(struct space *s)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512], prot[8], name[256];
	uint64_t start, end, pgoff;

	memset(s, 0, sizeof(*s));
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %255s", &start, &end, prot, &pgoff,
			   name) == 5 && prot[2] == 'x' && s->n < 64)
			add_mapping(s, start, end, pgoff, name);
	fclose(f);
	s->symbols = symbols_new(&(struct symbols_opts){ .cache_dir = "", .buildid_dir = "" });
	s->images = unwind_images_new(s->symbols);
	assert_non_null(s->images);
}

static void close_space(struct space *s)
{
	unwind_images_free(s->images);
	symbols_free(s->symbols);
	maps_pool_free(&s->pool);
}

static struct sample sample_of(const struct snapshot *from, size_t bytes)
{
	return (struct sample){ .present = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
				.user_regs = { .abi = PERF_SAMPLE_REGS_ABI_64, .mask = MASK,
					       .values = { .p = (const uint8_t *)from->regs, .nr = 17 } },
				.user_stack = { (const uint8_t *)from->stack, bytes } };
}

static void test_own_stack(void **state)
{
	struct space space;
	struct unwinder u = { 0 };
	struct sample s;

	(void)state;
	descend(LEVELS);
	open_space(&space);
	u.images = space.images;
	s = sample_of(&taken, taken.stack_bytes);
	assert_int_equal(unwind_walk(&u, &s, "x86_64", false, space.maps, FRAMES_MOST), 0);
	assert_int_equal(u.end, UNWIND_COMPLETE);
	assert_true(u.ips.n > LEVELS);
	assert_true((size_t)taken.nr_frames >= u.ips.n);
	/*
	 * From the outermost on: backtrace() was called at another place of the innermost function, and a sanitizer
	 * puts a function before it.
	 */
	for (size_t i = 1; i < u.ips.n; i++)
		assert_int_equal(u.ips.at[u.ips.n - i], (uintptr_t)taken.frames[taken.nr_frames - (int)i] - 1);
	unwinder_free(&u);
	close_space(&space);
}

/* A copy that ends ends the stack, and every other length gives the beginning of the same frames. */
static void test_short_copies(void **state)
{
	struct space space;
	struct unwinder whole = { 0 }, u = { 0 };
	struct sample s;

	(void)state;
	descend(LEVELS);
	open_space(&space);
	whole.images = u.images = space.images;
	s = sample_of(&taken, taken.stack_bytes);
	assert_int_equal(unwind_walk(&whole, &s, "x86_64", false, space.maps, FRAMES_MOST), 0);
	for (size_t bytes = 0; bytes < whole.bytes; bytes += 8) {
		s = sample_of(&taken, bytes);
		assert_int_equal(unwind_walk(&u, &s, "x86_64", false, space.maps, FRAMES_MOST), 0);
		assert_true(u.end == UNWIND_CUT || u.ips.n == whole.ips.n);
		assert_true(u.ips.n >= 1 && u.ips.n <= whole.ips.n);
		assert_memory_equal(u.ips.at, whole.ips.at, u.ips.n * sizeof(uint64_t));
	}
	s = sample_of(&taken, whole.bytes);
	assert_int_equal(unwind_walk(&u, &s, "x86_64", false, space.maps, FRAMES_MOST), 0);
	assert_int_equal(u.end, UNWIND_COMPLETE);
	assert_int_equal(unwind_walk(&u, &s, "x86_64", false, space.maps, 3), 0);
	assert_int_equal(u.end, UNWIND_TOO_DEEP);
	assert_int_equal(u.ips.n, 3);
	unwinder_free(&u);
	unwinder_free(&whole);
	close_space(&space);
}

/* A call stack of branches, as the processor would have kept it for the stack that was taken. */
struct calls {
	uint64_t entries[FRAMES_MOST][3];  /* from, to, flags */
	size_t nr;
};

/* Where the call before a return address begins. */
static uint64_t call_before(uint64_t addr)
{
	static const int lengths[] = { 2, 3, 6, 7 };
	const uint8_t *end = (const uint8_t *)(uintptr_t)addr;

	if (end[-5] == 0xe8)
		return addr - 5;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		if (end[-lengths[i]] == 0xff && (end[1 - lengths[i]] >> 3 & 7) == 2)
			return addr - (uint64_t)lengths[i];
	return 0;
}

static void add_call(struct calls *c, uint64_t from, const void *to)
{
	c->entries[c->nr][0] = from;
	c->entries[c->nr][1] = (uintptr_t)to;
	c->entries[c->nr++][2] = 0;
}

/* The calls that led to frames of a whole stack, newest first. */
static void take_calls(struct calls *c, const struct unwinder *whole)
{
	for (size_t i = 1; i < whole->ips.n; i++)
		add_call(c, call_before(whole->ips.at[i] + 1), i == 1 ? (const void *)(uintptr_t)take : NULL);
}

static struct sample sample_with_calls(const struct snapshot *from, size_t bytes, const struct calls *c)
{
	struct sample s = sample_of(from, bytes);

	s.branches = (struct branches){ .nr = c->nr, .entries = (const uint8_t *)c->entries, .is_call_stack = true };
	return s;
}

/* The same functions in the same order: callers that come from calls have the address of the call. */
static void assert_same_callers(const struct unwinder *u, const struct unwinder *whole)
{
	assert_int_equal(u->ips.n, whole->ips.n);
	assert_int_equal(u->ips.at[0], whole->ips.at[0]);
	for (size_t i = 1; i < u->ips.n; i++)
		assert_true(u->ips.at[i] == whole->ips.at[i] ||
			    u->ips.at[i] == call_before(whole->ips.at[i] + 1));
}

/* Calls that the processor kept go on where the copy ends: each level of a recursion is there once. */
static void test_calls_beside_copies(void **state)
{
	struct space space;
	struct unwinder whole = { 0 }, u = { 0 };
	struct calls calls = { .nr = 0 }, newer = { .nr = 0 };
	struct sample s;
	struct u64s chain;
	size_t bytes;

	(void)state;
	descend(LEVELS);
	open_space(&space);
	whole.images = u.images = space.images;
	s = sample_of(&taken, taken.stack_bytes);
	assert_int_equal(unwind_walk(&whole, &s, "x86_64", false, space.maps, FRAMES_MOST), 0);
	take_calls(&calls, &whole);
	for (bytes = 0; bytes < whole.bytes; bytes += 8) {
		s = sample_with_calls(&taken, bytes, &calls);
		assert_int_equal(unwind_sample(&u, &s, "x86_64", false, space.maps, FRAMES_MOST, &chain), 0);
		assert_int_equal(u.end, UNWIND_COMPLETE);
		assert_int_equal(chain.nr, 1 + whole.ips.n);
		assert_same_callers(&u, &whole);
	}
	/* a copy of FRAMES_COPIED frames */
	u.ips.n = bytes = 0;
	while (u.ips.n < FRAMES_COPIED) {
		s = sample_of(&taken, bytes += 8);
		assert_int_equal(unwind_walk(&u, &s, "x86_64", false, space.maps, FRAMES_MOST), 0);
		assert_int_equal(u.end, UNWIND_CUT);
	}
	/* as many as are wanted */
	s = sample_with_calls(&taken, bytes, &calls);
	assert_int_equal(unwind_sample(&u, &s, "x86_64", false, space.maps, 8, &chain), 0);
	assert_int_equal(u.end, UNWIND_TOO_DEEP);
	assert_int_equal(u.ips.n, 8);
	/* calls from which nothing returned come first: the longest run tells where the stack goes on */
	add_call(&newer, 0x1000, NULL);
	add_call(&newer, 0x2000, NULL);
	memcpy(newer.entries[2], calls.entries, calls.nr * sizeof(calls.entries[0]));
	newer.nr += calls.nr;
	s = sample_with_calls(&taken, bytes, &newer);
	assert_int_equal(unwind_sample(&u, &s, "x86_64", false, space.maps, FRAMES_MOST, &chain), 0);
	assert_int_equal(u.end, UNWIND_COMPLETE);
	assert_same_callers(&u, &whole);
	/* the oldest calls were lost: the stack is still cut */
	calls.nr = LEVELS;
	s = sample_with_calls(&taken, bytes, &calls);
	assert_int_equal(unwind_sample(&u, &s, "x86_64", false, space.maps, FRAMES_MOST, &chain), 0);
	assert_int_equal(u.end, UNWIND_CUT);
	assert_int_equal(u.ips.n, LEVELS + 1);
	/* levels of the recursion alone are at many places */
	newer.nr = 2;
	for (size_t i = 0; i < LEVELS; i++)
		add_call(&newer, calls.entries[2][0], NULL);
	s = sample_with_calls(&taken, bytes, &newer);
	assert_int_equal(unwind_sample(&u, &s, "x86_64", false, space.maps, FRAMES_MOST, &chain), 0);
	assert_int_equal(u.end, UNWIND_CUT);
	assert_int_equal(u.ips.n, FRAMES_COPIED);
	unwinder_free(&u);
	unwinder_free(&whole);
	close_space(&space);
}

/*
 * The word of the copied stack with the return address to a frame: the last one, since calls that have ended leave the
 * same address where later ones do not write.
 */
static uint64_t *return_word(const struct unwinder *whole, size_t frame)
{
	for (size_t i = taken.stack_bytes / 8; i-- > 0;)
		if (taken.stack[i] == whole->ips.at[frame] + 1)
			return &taken.stack[i];
	fail_msg("frame %zu has no return address", frame);
	return NULL;
}

/* A uretprobe hides return addresses: the caller is found where a function calls directly, else the stack ends. */
static void test_uretprobes(void **state)
{
	enum { TRAMPOLINE = 0x7000 };
	static const size_t direct[] = { 1, 2, LEVELS + 1 };
	const uint64_t caller = (uint64_t)__builtin_return_address(0) - 1;
	size_t frame = LEVELS;
	struct space space;
	struct unwinder whole = { 0 }, u = { 0 };
	struct sample s;
	uint64_t *word, kept;

	(void)state;
	descend(LEVELS);
	open_space(&space);
	add_mapping(&space, TRAMPOLINE, TRAMPOLINE + 0x1000, 0, "[uprobes]");
	whole.images = u.images = space.images;
	s = sample_of(&taken, taken.stack_bytes);
	assert_int_equal(unwind_walk(&whole, &s, "x86_64", false, space.maps, FRAMES_MOST), 0);
	for (size_t i = 0; i < sizeof(direct) / sizeof(direct[0]); i++) {
		word = return_word(&whole, direct[i]);
		kept = *word;
		*word = TRAMPOLINE;
		assert_int_equal(unwind_walk(&u, &s, "x86_64", false, space.maps, FRAMES_MOST), 0);
		assert_int_equal(u.end, UNWIND_COMPLETE);
		assert_int_equal(u.ips.n, whole.ips.n);
		assert_memory_equal(u.ips.at, whole.ips.at, u.ips.n * sizeof(uint64_t));
		*word = kept;
	}
	/* cmocka calls this function through a pointer */
	while (frame < whole.ips.n - 1 && whole.ips.at[frame] != caller)
		frame++;
	word = return_word(&whole, frame);
	kept = *word;
	*word = TRAMPOLINE;
	assert_int_equal(unwind_walk(&u, &s, "x86_64", false, space.maps, FRAMES_MOST), 0);
	assert_int_equal(u.end, UNWIND_URETPROBE);
	assert_int_equal(u.ips.n, frame);
	*word = kept;
	unwinder_free(&u);
	unwinder_free(&whole);
	close_space(&space);
}

struct walk_job {
	const struct space *space;
	uint64_t ips[FRAMES_MOST];
	size_t n;
	bool failed;
};

static void *unwind_often(void *ctx)
{
	struct walk_job *job = ctx;
	struct unwinder u = { .images = job->space->images };
	struct sample s = sample_of(&taken, taken.stack_bytes);

	for (int i = 0; i < 20; i++)
		job->failed |= unwind_walk(&u, &s, "x86_64", false, job->space->maps, FRAMES_MOST) < 0 ||
			       u.end != UNWIND_COMPLETE;
	job->n = u.ips.n;
	memcpy(job->ips, u.ips.at, u.ips.n * sizeof(uint64_t));
	unwinder_free(&u);
	return NULL;
}

/* All threads begin with images that nobody has opened. */
static void test_threads(void **state)
{
	struct space space;
	struct walk_job jobs[4];
	pthread_t threads[4];

	(void)state;
	descend(LEVELS);
	open_space(&space);
	for (size_t i = 0; i < 4; i++) {
		jobs[i] = (struct walk_job){ .space = &space };
		assert_int_equal(pthread_create(&threads[i], NULL, unwind_often, &jobs[i]), 0);
	}
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_false(jobs[i].failed);
		assert_int_equal(jobs[i].n, jobs[0].n);
		assert_memory_equal(jobs[i].ips, jobs[0].ips, jobs[0].n * sizeof(uint64_t));
	}
	close_space(&space);
}

static void test_chain(void **state)
{
	static const uint64_t recorded[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000000,
					     (uint64_t)PERF_CONTEXT_USER, 1, 2 };
	struct space space;
	struct unwinder u = { 0 };
	struct sample s;
	struct u64s chain;

	(void)state;
	descend(0);
	open_space(&space);
	u.images = space.images;
	s = sample_of(&taken, taken.stack_bytes);
	s.callchain = (struct u64s){ .p = (const uint8_t *)recorded, .nr = 5 };
	assert_int_equal(unwind_sample(&u, &s, "x86_64", true, space.maps, FRAMES_MOST, &chain), 0);
	assert_int_equal(chain.nr, 3 + u.ips.n);
	assert_int_equal(u64s_at(&chain, 1), recorded[1]);
	assert_int_equal(u64s_at(&chain, 2), (uint64_t)PERF_CONTEXT_USER);
	assert_int_equal(u64s_at(&chain, 3), taken.regs[8]);
	/* no registers, or those of an architecture that nobody knows: as recorded */
	assert_int_equal(unwind_sample(&u, &s, "vax", true, space.maps, FRAMES_MOST, &chain), 0);
	assert_int_equal(chain.nr, 5);
	unwinder_free(&u);
	close_space(&space);
}

/* aarch64: x0 to x30, sp, pc. The frame record at the stack pointer returns to the vdso. */
static struct sample signal_sample(uint64_t regs[33], uint64_t stack[128], bool in_handler)
{
	enum { SP = 0x70000000, AFTER_RECORD = 2, CONTEXT = AFTER_RECORD + 304 / 8, SAVED_SP = 32, SAVED_PC = 33 };

	memset(regs, 0, 33 * sizeof(*regs));
	memset(stack, 0, 128 * sizeof(*stack));
	regs[29] = regs[31] = SP;
	regs[32] = 0x20010;
	stack[1] = 0x10004;
	stack[CONTEXT + SAVED_SP] = in_handler ? SP + 1024 : 0;
	stack[CONTEXT + SAVED_PC] = in_handler ? 0x20100 : 0;
	return (struct sample){ .present = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
				.user_regs = { .abi = PERF_SAMPLE_REGS_ABI_64, .mask = (UINT64_C(1) << 33) - 1,
					       .values = { .p = (const uint8_t *)regs, .nr = 33 } },
				.user_stack = { (const uint8_t *)stack, 1024 } };
}

/* A vdso that is not at hand is told from the stack, so one stack says nothing of the next. */
static void test_unknown_vdso(void **state)
{
	uint64_t regs[33], stack[128];
	struct space space = { 0 };
	struct unwinder u = { 0 };
	struct sample s;

	(void)state;
	space.symbols = symbols_new(&(struct symbols_opts){ .cache_dir = "", .buildid_dir = "" });
	space.images = unwind_images_new(space.symbols);
	add_mapping(&space, 0x10000, 0x11000, 0, "[vdso]");
	add_mapping(&space, 0x20000, 0x30000, 0, "/nonexistent/program");
	u.images = space.images;
	for (int i = 0; i < 4; i++) {
		s = signal_sample(regs, stack, i % 2);
		assert_int_equal(unwind_walk(&u, &s, "aarch64", false, space.maps, FRAMES_MOST), 0);
		assert_int_equal(u.ips.n, i % 2 ? 3 : 2);
		assert_int_equal(u.ips.at[0], 0x20010);
		if (i % 2)
			assert_int_equal(u.ips.at[2], 0x20100);
	}
	unwinder_free(&u);
	close_space(&space);
}

static void test_nothing_mapped(void **state)
{
	struct unwinder u = { 0 };
	struct symbols *symbols = symbols_new(&(struct symbols_opts){ .cache_dir = "", .buildid_dir = "" });
	struct sample s;

	(void)state;
	descend(0);
	s = sample_of(&taken, taken.stack_bytes);
	u.images = unwind_images_new(symbols);
	assert_int_equal(unwind_walk(&u, &s, "x86_64", false, NULL, FRAMES_MOST), 0);
	assert_int_equal(u.ips.n, 1);
	assert_int_equal(u.end, UNWIND_NO_CFI);
	unwind_images_free(u.images);
	symbols_free(symbols);
	unwinder_free(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_stack),
		cmocka_unit_test(test_short_copies),
		cmocka_unit_test(test_calls_beside_copies),
		cmocka_unit_test(test_uretprobes),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_unknown_vdso),
		cmocka_unit_test(test_nothing_mapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("registers of another architecture, or another libc");
	return 77;
}

#endif
