/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "codec/none.h"
#include "codec/zlib.h"
#include "codec/zstd.h"

enum { PLAIN_BYTES = 300000, ROOM = 2 * PLAIN_BYTES };

struct sealed {
	const struct codec *codec;
	size_t n;
	uint8_t bytes[ROOM];
};

static uint8_t *plain_bytes(void)
{
	uint8_t *p = malloc(PLAIN_BYTES);
	uint32_t x = 1;

	assert_non_null(p);
	for (size_t i = 0; i < PLAIN_BYTES; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (uint8_t)(x >> 30);  /* four values: compresses to a quarter */
	}
	return p;
}

static struct sealed *seal(const struct codec *codec, const uint8_t *plain)
{
	struct sealed *s = malloc(sizeof(*s));
	uLongf n = ROOM;

	assert_non_null(s);
	s->codec = codec;
	s->n = PLAIN_BYTES;
	if (codec == &codec_none) {
		memcpy(s->bytes, plain, PLAIN_BYTES);
	} else if (codec == &codec_zlib) {
		assert_int_equal(compress(s->bytes, &n, plain, PLAIN_BYTES), Z_OK);
		s->n = n;
	} else {
		s->n = ZSTD_compress(s->bytes, ROOM, plain, PLAIN_BYTES, 1);
		assert_false(ZSTD_isError(s->n));
	}
	return s;
}

/* Gives the decoder `in_step` bytes at a time and room for `out_step`; how much came out, or what it failed with. */
static int64_t unseal(const struct sealed *s, size_t in_step, size_t out_step, uint8_t *out)
{
	struct sonde_error err = { 0 };
	struct decoder d;
	size_t got = 0;
	int r = 0;

	assert_int_equal(decoder_init(&d, s->codec, &err), 0);
	for (size_t at = 0; at < s->n && r >= 0; at += in_step) {
		struct codec_io io = { s->bytes + at, s->n - at < in_step ? s->n - at : in_step, NULL, 0 };

		do {
			size_t room = PLAIN_BYTES - got < out_step ? PLAIN_BYTES - got : out_step;

			io.out = out + got;
			io.nr_out = room;
			r = decoder_step(&d, &io, &err);
			got += room - io.nr_out;
		} while (r > 0 && got < PLAIN_BYTES);
	}
	decoder_free(&d);
	if (r < 0)
		assert_int_equal(err.code, -r);
	return r < 0 ? r : (int64_t)got;
}

static const struct codec *const all[] = { &codec_none, &codec_zlib, &codec_zstd };

static void input_of_any_size_gives_the_same(void **state)
{
	static const size_t steps[] = { 1, 7, 1000, 65536, ROOM };
	uint8_t *plain = plain_bytes(), *out = malloc(PLAIN_BYTES);

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(all); c++) {
		struct sealed *s = seal(all[c], plain);

		for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
			for (size_t o = 0; o < ARRAY_SIZE(steps); o++) {
				memset(out, 0xff, PLAIN_BYTES);
				assert_int_equal(unseal(s, steps[i], steps[o], out), PLAIN_BYTES);
				assert_memory_equal(out, plain, PLAIN_BYTES);
			}
		}
		free(s);
	}
	free(plain);
	free(out);
}

static void damage_is_an_error(void **state)
{
	uint8_t *plain = plain_bytes(), *out = malloc(PLAIN_BYTES);

	(void)state;
	for (size_t c = 1; c < ARRAY_SIZE(all); c++) {
		struct sealed *s = seal(all[c], plain);

		memset(s->bytes, 0x55, 16);
		assert_int_equal(unseal(s, 1000, 1000, out), -SONDE_CORRUPT);
		free(s);
	}
	free(plain);
	free(out);
}

/* As a recorder writes: what was flushed comes out although the stream never ends. */
static void flushed_input_comes_out_at_once(void **state)
{
	uint8_t sealed[1000], out[100];
	ZSTD_CStream *z = ZSTD_createCStream();
	struct decoder d;

	(void)state;
	ZSTD_initCStream(z, 1);
	assert_int_equal(decoder_init(&d, &codec_zstd, NULL), 0);
	for (int i = 0; i < 3; i++) {
		ZSTD_outBuffer to = { sealed, sizeof(sealed), 0 };
		ZSTD_inBuffer from = { "record", 6, 0 };
		struct codec_io io = { sealed, 0, out, sizeof(out) };

		ZSTD_compressStream(z, &to, &from);
		ZSTD_flushStream(z, &to);
		io.nr_in = to.pos;
		assert_int_equal(decoder_step(&d, &io, NULL), 0);
		assert_int_equal(io.nr_out, sizeof(out) - 6);
		assert_memory_equal(out, "record", 6);
	}
	decoder_free(&d);
	ZSTD_freeCStream(z);
}

/* Blocks that are sealed one by one, the last of them damaged: the others come out, whatever the room. */
static void what_is_before_the_damage_comes_out(void **state)
{
	static const size_t rooms[] = { 1, 7, 1000, 4096, 100000 };
	static uint8_t sealed[65536], out[100000];
	ZSTD_CStream *z = ZSTD_createCStream();
	ZSTD_outBuffer to = { sealed, sizeof(sealed), 0 };
	char text[1000];

	(void)state;
	ZSTD_initCStream(z, 1);
	for (unsigned i = 0; i < 20; i++) {
		ZSTD_inBuffer from = { text, sizeof(text), 0 };

		for (size_t k = 0; k < sizeof(text); k++)
			text[k] = (char)((i * 31 + k * k) % 97);
		ZSTD_compressStream(z, &to, &from);
		ZSTD_flushStream(z, &to);
	}
	memset(sealed + to.pos, 0xff, 100);  /* a block of a kind that there is not */
	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++) {
		struct codec_io io = { .in = sealed, .nr_in = to.pos + 100 };
		struct sonde_error err = { 0 };
		struct decoder d;
		size_t n = 0;
		int r;

		assert_int_equal(decoder_init(&d, &codec_zstd, NULL), 0);
		do {
			io.out = out + n;
			io.nr_out = rooms[i] < sizeof(out) - n ? rooms[i] : sizeof(out) - n;
			r = decoder_step(&d, &io, &err);
			n = (size_t)(io.out - out);
		} while (r > 0);
		assert_int_equal(r, -SONDE_CORRUPT);
		assert_int_equal(n, 20000);
		decoder_free(&d);
	}
	ZSTD_freeCStream(z);
}

static void a_reset_begins_a_new_stream(void **state)
{
	uint8_t *plain = plain_bytes(), *out = malloc(PLAIN_BYTES);

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(all); c++) {
		struct sealed *s = seal(all[c], plain);
		struct codec_io half = { s->bytes, s->n / 2, out, PLAIN_BYTES },
				whole = { s->bytes, s->n, out, PLAIN_BYTES };
		struct decoder d;

		assert_int_equal(decoder_init(&d, all[c], NULL), 0);
		assert_true(decoder_step(&d, &half, NULL) >= 0);
		decoder_reset(&d);
		while (decoder_step(&d, &whole, NULL) > 0 && whole.nr_out)
			;
		assert_int_equal(whole.nr_out, 0);
		assert_memory_equal(out, plain, PLAIN_BYTES);
		decoder_free(&d);
		free(s);
	}
	free(plain);
	free(out);
}

static void packed_blocks_come_out_again(void **state)
{
	uint8_t *plain = plain_bytes(), *out = malloc(PLAIN_BYTES);
	struct sealed *s = malloc(sizeof(*s));

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(all); c++) {
		struct packer e;

		for (uint32_t level = 0; level < 100; level += 5) {
			const uint8_t *block;

			assert_int_equal(packer_init(&e, all[c], level, NULL), 0);
			block = packer_pack(&e, plain, 1000, &s->n);
			assert_non_null(block);
			block = packer_pack(&e, plain, PLAIN_BYTES, &s->n);
			assert_non_null(block);
			assert_true(c == 0 || s->n < PLAIN_BYTES / 3);
			s->codec = all[c];
			memcpy(s->bytes, block, s->n);
			memset(out, 0xff, PLAIN_BYTES);
			assert_int_equal(unseal(s, ROOM, ROOM, out), PLAIN_BYTES);
			assert_memory_equal(out, plain, PLAIN_BYTES);
			packer_free(&e);
		}
	}
	free(s);
	free(plain);
	free(out);
}

static void names_are_found(void **state)
{
	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(all); c++)
		assert_ptr_equal(codec_find(all[c]->name), all[c]);
	assert_null(codec_find("lz4"));
}

/* Into little room each time; after each step all that went in comes out again. */
static void a_packed_stream_goes_on(void **state)
{
	uint8_t *plain = plain_bytes(), *out = malloc(PLAIN_BYTES), packed[1000];
	size_t got = 0, nr_packed = 0;
	struct stream_packer p;
	struct decoder d;
	int r;

	(void)state;
	assert_int_equal(stream_packer_init(&p, &codec_zstd, 1, NULL), 0);
	assert_int_equal(decoder_init(&d, &codec_zstd, NULL), 0);
	for (size_t at = 0; at < PLAIN_BYTES; at += 10000) {
		struct codec_io in = { plain + at, 10000, NULL, 0 };

		do {
			struct codec_io back = { packed, 0, out + got, PLAIN_BYTES - got };

			in.out = packed;
			in.nr_out = sizeof(packed);
			r = stream_packer_step(&p, &in, NULL);
			assert_true(r >= 0);
			back.nr_in = sizeof(packed) - in.nr_out;
			nr_packed += back.nr_in;
			assert_true(decoder_step(&d, &back, NULL) >= 0);
			assert_int_equal(back.nr_in, 0);
			got = PLAIN_BYTES - back.nr_out;
		} while (r > 0);
		assert_int_equal(in.nr_in, 0);
		assert_int_equal(got, at + 10000);
	}
	assert_memory_equal(out, plain, PLAIN_BYTES);
	assert_true(nr_packed < PLAIN_BYTES / 2);
	stream_packer_free(&p);
	decoder_free(&d);
	free(plain);
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(input_of_any_size_gives_the_same),
		cmocka_unit_test(damage_is_an_error),
		cmocka_unit_test(flushed_input_comes_out_at_once),
		cmocka_unit_test(a_packed_stream_goes_on),
		cmocka_unit_test(what_is_before_the_damage_comes_out),
		cmocka_unit_test(a_reset_begins_a_new_stream),
		cmocka_unit_test(packed_blocks_come_out_again),
		cmocka_unit_test(names_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
