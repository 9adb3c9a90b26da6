/* SPDX-License-Identifier: MIT */
#include "tracedat/format/metadata.h"

#include "base/str.h"
#include "tracedat/format/encode.h"
#include "tracedat/format/ids.h"

static const char *const info_names[] = { "header_page", "header_event" };

/* A cursor over an image. */
struct at {
	struct image *im;
	uint64_t at;
	bool swap, failed;
};

static const uint8_t *look(struct at *c, size_t n)
{
	const uint8_t *p = c->failed ? NULL : image_view(c->im, c->at, n);

	c->failed = !p;
	c->at += p ? n : 0;
	return p;
}

static uint32_t next_u32(struct at *c)
{
	const uint8_t *p = look(c, 4);

	return p ? load_u32(p, c->swap) : 0;
}

static void skip(struct at *c, uint64_t n)
{
	c->failed = c->failed || n > c->im->size - c->at;
	c->at += c->failed ? 0 : n;
}

static void skip_text(struct at *c)
{
	const uint8_t *p = look(c, 8);

	skip(c, p ? load_u64(p, c->swap) : 0);
}

static void skip_name(struct at *c)
{
	size_t got;
	const uint8_t *p = c->failed ? NULL : image_view_some(c->im, c->at, 4096, &got);
	size_t n = p ? strnlen((const char *)p, got) : 0;

	c->failed = !p || n == got;
	c->at += c->failed ? 0 : n + 1;
}

static void skip_formats(struct at *c)
{
	for (uint32_t n = next_u32(c); n > 0 && !c->failed; n--)
		skip_text(c);
}

static void expect(struct at *c, const char *name)
{
	const uint8_t *p = look(c, strlen(name) + 1);

	c->failed = !p || memcmp(p, name, strlen(name) + 1) != 0;
}

bool dat_metadata_measure(struct image *im, uint64_t at, uint16_t id, bool swap, uint64_t *n)
{
	struct at c = { im, at, swap, at > im->size };

	switch (id) {
	case SECTION_HEADER_INFO:
		for (size_t i = 0; i < ARRAY_SIZE(info_names); i++) {
			expect(&c, info_names[i]);
			skip_text(&c);
		}
		break;
	case SECTION_FTRACE_FORMATS:
		skip_formats(&c);
		break;
	case SECTION_EVENT_FORMATS:
		for (uint32_t systems = next_u32(&c); systems > 0 && !c.failed; systems--) {
			skip_name(&c);
			skip_formats(&c);
		}
		break;
	case SECTION_CMDLINES:
		skip_text(&c);
		break;
	default:
		skip(&c, next_u32(&c));
		break;
	}
	*n = c.failed ? (at < im->size ? im->size - at : 0) : c.at - at;
	return !c.failed;
}

int dat_metadata_formats(const uint8_t *p, size_t n, uint16_t id, bool swap, format_list_fn fn, void *ctx)
{
	struct cursor c = cur_new(p, n, 0, swap, NULL);

	return id == SECTION_FTRACE_FORMATS ? format_list_read(&c, FTRACE_SYSTEM, fn, ctx) :
					      format_list_read_systems(&c, fn, ctx);
}

int dat_metadata_header_info(struct cursor *c, struct sonde_str *page, struct sonde_str *event)
{
	struct sonde_str *const texts[] = { page, event };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		uint64_t at = c->at, size;
		struct sonde_str name = cur_strz(c);
		const uint8_t *p;

		if (!cur_ok(c) || !str_is(name, info_names[i])) {
			err_set(c->err, SONDE_CORRUPT, at, "no \"%s\" where it should be", info_names[i]);
			cur_short(c, UINT64_MAX);  /* in version 6 nothing after it can be found */
			return -SONDE_CORRUPT;
		}
		size = cur_u64(c);
		p = cur_take(c, size);
		if (!p)
			return -SONDE_TRUNCATED;
		*texts[i] = (struct sonde_str){ (const char *)p, size };
	}
	return 0;
}

size_t dat_metadata_size_bytes(uint16_t id)
{
	return id == SECTION_CMDLINES ? sizeof(uint64_t) : sizeof(uint32_t);
}

struct sonde_str dat_metadata_text(uint16_t id, const uint8_t *p, size_t n)
{
	size_t head = dat_metadata_size_bytes(id);

	return n > head ? (struct sonde_str){ (const char *)p + head, n - head } : (struct sonde_str){ "", 0 };
}

void dat_metadata_put_text(struct buf *out, uint16_t id, bool swap, struct sonde_str text)
{
	if (dat_metadata_size_bytes(id) == sizeof(uint64_t))
		put_u64(out, text.len, swap);
	else
		put_u32(out, (uint32_t)text.len, swap);
	buf_put(out, text.p, text.len);
}

static void put_info(struct buf *out, bool swap, const char *name, struct sonde_str text)
{
	put_strz(out, name);
	put_u64(out, text.len, swap);
	buf_put(out, text.p, text.len);
}

void dat_metadata_make_header_info(struct buf *out, bool swap, struct sonde_str page, struct sonde_str event,
				   unsigned long_size, uint32_t page_size)
{
	static const char standard[] =
		"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
		"\tarray       :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n"
		"\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";
	struct buf made = BUF_MEMORY;

	buf_printf(&made,
		   "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		   "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		   "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
		   long_size, 8 + long_size, page_size - 8 - long_size);
	put_info(out, swap, info_names[0], page.len ? page : (struct sonde_str){ made.p, made.n });
	put_info(out, swap, info_names[1], event.len ? event : (struct sonde_str){ standard, sizeof(standard) - 1 });
	buf_free(&made);
}
