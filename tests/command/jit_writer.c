/* SPDX-License-Identifier: MIT */
/*
 * jit_writer.c - a program that makes its code while it runs: jit_writer DIRECTORY [map|stack|stay|grow]
 *
 * Writes DIRECTORY/jit-PID.dump as a just-in-time compiler does. Three functions have one address, one after the other,
 * and another one moves. Each runs for as many milliseconds of processor time. With stack there is one function that
 * has .eh_frame but no frame pointer. With map the function is in a memfd, and DIRECTORY/perf-PID.map has its name.
 * With stay, the last function is called until somebody kills the process; with grow, SIGUSR1 makes another function,
 * which is called from then on.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
/* mov %rdi,%rax; 1: dec %rax; jne 1b; ret */
static const uint8_t code[] = { 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3 };
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
/* 1: subs x0, x0, #1; b.ne 1b; ret */
static const uint32_t code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#define MACHINE EM_AARCH64
#else
static const uint8_t code[1];
#define MACHINE EM_NONE
#endif

#define MAGIC 0x4a695444
#define RUN_NS 50000000
enum { LOAD, MOVE, DEBUG_INFO, CLOSE, UNWINDING_INFO };

struct header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};
struct prefix {
	uint32_t id, size;
	uint64_t time;
};
struct load {
	struct prefix prefix;
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
};
struct move {
	struct prefix prefix;
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};
struct unwinding {
	struct prefix prefix;
	uint64_t size, header_size, mapped_size;
};
struct lines {
	struct prefix prefix;
	uint64_t addr, nr;
};

/* push %rbp; xor %ebp,%ebp; sub $32,%rsp; 1: dec %rdi; jne 1b; add $32,%rsp; pop %rbp; ret */
static const uint8_t deep[] = { 0x55, 0x31, 0xed, 0x48, 0x83, 0xec, 0x20, 0x48, 0xff, 0xcf, 0x75, 0xfb,
				0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3 };

/* Its .eh_frame, for a place 24 bytes after its start, and a header of 20 bytes. */
static const uint8_t eh_frame[80] = {
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
	28, 0, 0, 0, 28, 0, 0, 0, 256 - 56, 255, 255, 255, 18, 0, 0, 0, 0,
	0x41, 0x0e, 16, 0x86, 2, 0x46, 0x0e, 48, 0x49, 0x0e, 16, 0x41, 0x0e, 8, 0,
	0, 0, 0, 0,
	1, 0x1b, 3, 0x3b,
};

static int fd;
static volatile sig_atomic_t asked;

static void ask(int signal)
{
	(void)signal;
	asked = 1;
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void put(const void *p, size_t n)
{
	if (write(fd, p, n) != (ssize_t)n) {
		perror("jit_writer");
		exit(1);
	}
}

static struct prefix prefix(uint32_t id, size_t size)
{
	return (struct prefix){ id, (uint32_t)size, now(CLOCK_MONOTONIC) };
}

static void put_lines(uint64_t addr, const char *file, uint32_t line)
{
	struct { uint64_t addr; uint32_t line, column; } entry = { addr, line, 7 };
	struct lines l = { .prefix = prefix(DEBUG_INFO, sizeof(l) + sizeof(entry) + strlen(file) + 1), .addr = addr,
			   .nr = 1 };

	put(&l, sizeof(l));
	put(&entry, sizeof(entry));
	put(file, strlen(file) + 1);
}

static void put_load(void *addr, uint64_t index, const char *name, uint32_t line)
{
	struct load l = { .prefix = prefix(LOAD, sizeof(l) + strlen(name) + 1 + sizeof(code)),
			  .pid = (uint32_t)getpid(), .tid = (uint32_t)getpid(), .vma = (uintptr_t)addr,
			  .addr = (uintptr_t)addr, .size = sizeof(code), .index = index };

	memcpy(addr, code, sizeof(code));
	__builtin___clear_cache(addr, (char *)addr + sizeof(code));
	put_lines((uintptr_t)addr, "made/by.jit", line);
	put(&l, sizeof(l));
	put(name, strlen(name) + 1);
	put(code, sizeof(code));
}

static void put_deep(void *addr)
{
	static const char name[] = "jit_deep";
	struct unwinding u = { .prefix = prefix(UNWINDING_INFO, sizeof(u) + sizeof(eh_frame)),
			       .size = sizeof(eh_frame), .header_size = 20 };
	struct load l = { .prefix = prefix(LOAD, sizeof(l) + sizeof(name) + sizeof(deep)), .vma = (uintptr_t)addr,
			  .addr = (uintptr_t)addr, .size = sizeof(deep), .index = 1 };

	memcpy(addr, deep, sizeof(deep));
	put(&u, sizeof(u));
	put(eh_frame, sizeof(eh_frame));
	put(&l, sizeof(l));
	put(name, sizeof(name));
	put(deep, sizeof(deep));
}

static void put_move(void *from, void *to, uint64_t index)
{
	struct move m = { .prefix = prefix(MOVE, sizeof(m)), .pid = (uint32_t)getpid(), .tid = (uint32_t)getpid(),
			  .vma = (uintptr_t)to, .from = (uintptr_t)from, .to = (uintptr_t)to, .size = sizeof(code),
			  .index = index };

	memcpy(to, code, sizeof(code));
	__builtin___clear_cache(to, (char *)to + sizeof(code));
	put(&m, sizeof(m));
}

static void run(void *addr)
{
	uint64_t end = now(CLOCK_PROCESS_CPUTIME_ID) + RUN_NS;
	void (*function)(uint64_t);

	memcpy(&function, &addr, sizeof(function));
	while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
		function(1000000);
}

/* Compilers map their code twice, so that no page can be written and executed. */
static int run_from_memfd(const char *directory)
{
	char path[4096];
	uint8_t *writable, *executable;
	FILE *map;

	fd = memfd_create("doublemapper", 0);
	if (fd < 0 || ftruncate(fd, 65536) < 0) {
		perror("memfd_create");
		return 1;
	}
	writable = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	executable = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	snprintf(path, sizeof(path), "%s/perf-%d.map", directory, (int)getpid());
	map = fopen(path, "w");
	if (writable == MAP_FAILED || executable == MAP_FAILED || !map) {
		perror(path);
		return 1;
	}
	memcpy(writable + 4096, code, sizeof(code));
	__builtin___clear_cache((char *)executable + 4096, (char *)executable + 4096 + sizeof(code));
	fprintf(map, "%llx %zx a function in a memfd\n", (unsigned long long)(uintptr_t)(executable + 4096),
		sizeof(code));
	fclose(map);
	run(executable + 4096);
	printf("%s\n", path);
	return 0;
}

int main(int argc, char **argv)
{
	struct header h = { MAGIC, 1, sizeof(h), MACHINE, 0, (uint32_t)getpid(), now(CLOCK_MONOTONIC), 0 };
	char path[4096];
	uint8_t *memory;
	void *marker;
	bool grows, stays;

	if (argc < 2 || MACHINE == EM_NONE)
		return 77;
	if (argc > 2 && strcmp(argv[2], "map") == 0)
		return run_from_memfd(argv[1]);
	grows = argc > 2 && strcmp(argv[2], "grow") == 0;
	stays = grows || (argc > 2 && strcmp(argv[2], "stay") == 0);
	if (grows)
		signal(SIGUSR1, ask);
	if (argc > 2 && !stays && MACHINE != EM_X86_64)
		return 77;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", argv[1], (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0) {
		perror(path);
		return 1;
	}
	put(&h, sizeof(h));
	marker = mmap(NULL, (size_t)getpagesize(), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (marker == MAP_FAILED || memory == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	if (argc > 2 && !stays) {
		put_deep(memory + 4096);
		run(memory + 4096);
		printf("%s\n", path);
		return 0;
	}
	for (uint32_t i = 0; i < 3; i++) {
		static const char *const names[] = { "jit_one", "jit_two", "jit_three" };

		put_load(memory + 4096, i + 1, names[i], 10 * (i + 1));
		run(memory + 4096);
	}
	put_load(memory + 8192, 4, "jit_moved", 40);
	run(memory + 8192);
	put_move(memory + 8192, memory + 4096, 4);
	do
		run(memory + 4096);
	while (stays && !asked);
	if (asked)
		put_load(memory + 12288, 5, "jit_late", 50);
	while (asked)
		run(memory + 12288);
	put(&(struct prefix){ CLOSE, sizeof(struct prefix), now(CLOCK_MONOTONIC) }, sizeof(struct prefix));
	printf("%s\n", path);
	return 0;
}
