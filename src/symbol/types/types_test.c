/* SPDX-License-Identifier: MIT */
/* Two programs (fuzz/seeds/symbol_types), sound and damaged in many ways. */
#include "symbol/types/types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "symbol/elf/symbols.h"

struct test_program {
	struct elf_file elf;
	struct symtab *table;
	struct types *types;
};

static uint8_t *read_seed(const char *name, size_t *size)
{
	const char *source = getenv("SONDE_SOURCE");
	uint8_t *bytes = malloc(1 << 16);
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/fuzz/seeds/symbol_types/%s", source ? source : ".", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	assert_non_null(bytes);
	*size = fread(bytes, 1, 1 << 16, f);
	fclose(f);
	return bytes;
}

/* Takes the bytes over. False: no file with types. */
static bool open_program(struct test_program *p, uint8_t *bytes, size_t size)
{
	struct symtab_builder b = { 0 };

	*p = (struct test_program){ 0 };
	if (elf_file_open_memory(&p->elf, bytes, size, NULL) < 0)
		return false;
	elf_add_symbols(&b, &p->elf, SHT_SYMTAB, &p->elf, ELF_FILE_OFFSET);
	p->table = symtab_build(&b, SYMTAB_SAME_BEST);
	assert_non_null(p->table);
	p->types = types_new(&p->elf, NULL, p->table);
	return p->types;
}

static void close_program(struct test_program *p)
{
	types_free(p->types);
	symtab_free(p->table);
	if (p->elf.elf)
		elf_file_close(&p->elf);
}

/* The types that a function touches: " type +offset member" for each instruction that touches something new. */
static void look_at_function(struct test_program *p, uint32_t symbol, struct buf *all)
{
	struct buf type = BUF_MEMORY, member = BUF_MEMORY;
	struct types_access access = { .type = &type, .member = &member };

	for (uint64_t at = symtab_start(p->table, symbol); at < symtab_end(p->table, symbol); at++) {
		char text[256];

		type.n = member.n = 0;
		types_find(p->types, at, TYPES_FUSE_NOTHING, &access);
		if (access.kind != TYPES_TYPE)
			continue;
		snprintf(text, sizeof(text), " %.*s +%lld %.*s;", (int)type.n, type.p, (long long)access.offset,
			 (int)member.n, member.n ? member.p : "");
		buf_char(all, 0);
		all->n--;
		if (!strstr(all->p, text))
			buf_str(all, text);
	}
	buf_free(&type);
	buf_free(&member);
}

static void expect(const char *seed, const char *function, const char *const *texts)
{
	struct buf all = BUF_MEMORY;
	struct test_program p;
	uint8_t *bytes;
	size_t size;

	bytes = read_seed(seed, &size);
	assert_true(open_program(&p, bytes, size));
	for (uint32_t i = 0; i < p.table->n; i++)
		if (!strcmp(symtab_linkage_name(p.table, i), function))
			look_at_function(&p, i, &all);
	buf_char(&all, 0);
	for (; *texts; texts++)
		if (!strstr(all.p, *texts))
			fail_msg("%s: %s has no%s:%s", seed, function, *texts, all.p);
	buf_free(&all);
	close_program(&p);
}

static void skip_without_decoder(void)
{
	if (!types_supported())
		skip();
}

static void types_of_operands(void **state)
{
	static const char *const sum[] = { " struct node +0 next;", " struct node +8 value;", " struct node +28 at;",
					   " struct node +32 number.i;", NULL };
	static const char *const plain_count[] = { " int[] +4 ;", " struct node +36 flag:3;", " int +0 ;", NULL };
	static const char *const optimised_count[] = { " int[] +4 ;", " struct node +36 flag:3;", NULL };

	(void)state;
	skip_without_decoder();
	expect("optimised", "sum", sum);
	expect("plain", "sum", (const char *const[]){ " struct node* +0 ;", " word +0 ;", NULL });
	expect("plain", "sum", (const char *const[]){ " struct node +0 next;", " struct node +32 number.i;", NULL });
	expect("plain", "inner", (const char *const[]){ " struct node +8 value;", " struct node +28 at;", NULL });
	expect("plain", "count", plain_count);
	expect("optimised", "count", optimised_count);
}

static uint32_t next_number(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33);
}

/* Some bytes of the sections of DWARF become others: small numbers, which lead to other entries, and any. */
static void damage(uint8_t *bytes, uint64_t at, uint64_t size, uint64_t *seed)
{
	for (uint32_t n = 1 + next_number(seed) % 4; n > 0; n--) {
		uint32_t number = next_number(seed);

		bytes[at + next_number(seed) % size] = (uint8_t)(number & 0x100 ? number % 64 : number);
	}
}

static bool find_section(const uint8_t *bytes, size_t size, const char *name, uint64_t *at, uint64_t *length)
{
	uint8_t *copy = malloc(size);
	struct elf_file f;
	GElf_Shdr shdr;
	bool found;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	assert_int_equal(elf_file_open_memory(&f, copy, size, NULL), 0);
	found = elf_file_section(&f, name, &shdr);
	*at = shdr.sh_offset;
	*length = shdr.sh_size;
	elf_file_close(&f);
	return found;
}

/* Whatever the bytes: it ends, and in no more steps than the sound file has looks. */
static void damaged_dwarf(void **state)
{
	static const char *const seeds[] = { "optimised", "plain" };
	static const char *const sections[] = { ".debug_info", ".debug_abbrev", ".debug_loclists", ".debug_rnglists",
						".debug_frame", ".eh_frame" };
	uint64_t number = 1, at, length;
	size_t size;

	(void)state;
	skip_without_decoder();
	for (size_t s = 0; s < ARRAY_SIZE(seeds); s++) {
		uint8_t *sound = read_seed(seeds[s], &size);

		for (size_t k = 0; k < ARRAY_SIZE(sections); k++) {
			if (!find_section(sound, size, sections[k], &at, &length) || !length)
				continue;
			for (int i = 0; i < 150; i++) {
				uint8_t *bytes = malloc(size);
				struct buf all = BUF_MEMORY;
				struct test_program p;

				assert_non_null(bytes);
				memcpy(bytes, sound, size);
				damage(bytes, at, length, &number);
				if (open_program(&p, bytes, size))
					for (uint32_t f = 0; f < p.table->n; f++)
						look_at_function(&p, f, &all);
				buf_free(&all);
				close_program(&p);
			}
		}
		free(sound);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_operands),
		cmocka_unit_test(damaged_dwarf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
