/* SPDX-License-Identifier: MIT */
#include "export/page/page.h"

#include "base/str.h"
#include "base/strpool.h"

struct writer {
	struct buf *out;
	struct buf text;          /* one string as JSON, not yet safe for HTML */
	struct strpool strings;
	int failed;
};

/* Puts a JSON string into a script element: '<' is escaped, because it could end the element or begin a comment. */
static void put_string(struct writer *w, const char *s)
{
	struct sonde_str left;

	w->text.n = 0;
	buf_json(&w->text, s, strlen(s));
	if (w->text.failed) {
		w->failed = w->text.failed;
		return;
	}
	left = (struct sonde_str){ w->text.p, w->text.n };
	for (const char *p; (p = memchr(left.p, '<', left.len));) {
		buf_put(w->out, left.p, (size_t)(p - left.p));
		buf_str(w->out, "\\u003c");
		str_skip(&left, (size_t)(p - left.p) + 1);
	}
	buf_put(w->out, left.p, left.len);
}

static void put_comma(struct writer *w, size_t i)
{
	if (i > 0)
		buf_char(w->out, ',');
}

static void put_strings(struct writer *w, const char *const *strings, size_t n)
{
	buf_char(w->out, '[');
	for (size_t i = 0; i < n; i++) {
		put_comma(w, i);
		put_string(w, strings[i]);
	}
	buf_char(w->out, ']');
}

static void put_info(struct writer *w, const struct html_profile *profile)
{
	buf_str(w->out, ",\n\"wall_ns\":");
	buf_u64(w->out, profile->wall_ns);
	buf_str(w->out, ",\n\"info\":[");
	for (size_t i = 0; i < profile->nr_info; i++) {
		put_comma(w, i);
		buf_char(w->out, '[');
		put_string(w, profile->info[i].name);
		buf_char(w->out, ',');
		put_string(w, profile->info[i].value);
		buf_char(w->out, ']');
	}
	buf_str(w->out, "],\n\"losses\":");
	put_strings(w, profile->losses, profile->nr_losses);
}

static void put_number_of(struct writer *w, size_t i, const char *s)
{
	uint32_t number = strpool_add(&w->strings, s, strlen(s));

	if (number == UINT32_MAX)
		w->failed = -SONDE_NOMEM;
	put_comma(w, i);
	buf_u64(w->out, number);
}

static void put_frames(struct writer *w, const struct html_profile *profile)
{
	const struct html_frame *frames = profile->frames;

	buf_str(w->out, ",\n\"frames\":{\"symbol\":[");
	for (size_t i = 0; i < profile->nr_frames; i++)
		put_number_of(w, i, frames[i].symbol);
	buf_str(w->out, "],\n\"dso\":[");
	for (size_t i = 0; i < profile->nr_frames; i++)
		put_number_of(w, i, frames[i].dso);
	buf_str(w->out, "],\n\"kind\":[");
	for (size_t i = 0; i < profile->nr_frames; i++) {
		put_comma(w, i);
		buf_u64(w->out, frames[i].kind);
	}
	buf_str(w->out, "]},\n\"strings\":[");
	for (size_t i = 0; i < w->strings.names.n; i++) {
		put_comma(w, i);
		put_string(w, strpool_get(&w->strings, (uint32_t)i));
	}
	buf_char(w->out, ']');
}

static void put_event(struct writer *w, const struct html_event *event)
{
	const struct html_node *nodes = event->nodes;

	buf_str(w->out, "{\"name\":");
	put_string(w, event->name);
	buf_str(w->out, ",\"unit\":");
	put_string(w, event->unit);
	buf_str(w->out, ",\"notes\":");
	put_strings(w, event->notes, event->nr_notes);
	buf_str(w->out, ",\n\"nodes\":{\"up\":[");
	for (size_t i = 0; i < event->nr_nodes; i++) {
		put_comma(w, i);
		buf_u64(w->out, nodes[i].parent == HTML_NO_PARENT ? 0 : i - nodes[i].parent);
	}
	buf_str(w->out, "],\n\"frame\":[");
	for (size_t i = 0; i < event->nr_nodes; i++) {
		put_comma(w, i);
		buf_u64(w->out, nodes[i].frame);
	}
	buf_str(w->out, "],\n\"weight\":[");
	for (size_t i = 0; i < event->nr_nodes; i++) {
		put_comma(w, i);
		buf_u64(w->out, nodes[i].weight);
	}
	buf_str(w->out, "],\n\"samples\":[");
	for (size_t i = 0; i < event->nr_nodes; i++) {
		put_comma(w, i);
		buf_u64(w->out, nodes[i].samples);
	}
	buf_str(w->out, "]}}");
}

int html_write(struct buf *b, const struct html_profile *profile)
{
	struct writer w = { .out = b, .text = BUF_MEMORY };

	buf_put(b, html_page[0].p, html_page[0].len);
	buf_str(b, "{\"title\":");
	put_string(&w, profile->title);
	put_info(&w, profile);
	put_frames(&w, profile);
	buf_str(b, ",\n\"events\":[");
	for (size_t i = 0; i < profile->nr_events; i++) {
		put_comma(&w, i);
		put_event(&w, &profile->events[i]);
	}
	buf_str(b, "]}");
	buf_put(b, html_page[1].p, html_page[1].len);
	buf_free(&w.text);
	strpool_free(&w.strings);
	return b->failed ? b->failed : w.failed;
}
