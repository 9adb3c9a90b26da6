/* SPDX-License-Identifier: MIT */
#include "export/page/annotated.h"

#include <inttypes.h>

#include "base/text.h"
#include "export/page/page.h"

#define SOME_FROM 0.5
#define MUCH_FROM 5.0
#define MOST_FROM 20.0

/* A byte of text that is no UTF-8, or drives a terminal, becomes '.'. */
static void put_text(struct buf *b, const char *s)
{
	for (size_t left = strlen(s); left;) {
		size_t n = utf8_length((const uint8_t *)s, left);

		if (!n || utf8_is_control(utf8_code((const uint8_t *)s, n)))
			buf_char(b, '.');
		else if (*s == '<' || *s == '>' || *s == '&' || *s == '"' || *s == '\'')
			buf_printf(b, "&#%d;", *s);
		else
			buf_put(b, s, n);
		s += n ? n : 1;
		left -= n ? n : 1;
	}
}

static const char *event_name(const struct sonde_annotation *a, size_t i)
{
	return a->profile->events.at[a->counts.events.at[i]].name;
}

static void put_events(struct buf *b, const struct sonde_annotation *a)
{
	for (size_t i = 0; i < a->counts.events.n; i++) {
		buf_str(b, i ? ", " : "");
		put_text(b, event_name(a, i));
	}
}

static void put_contents(struct buf *b, struct sonde_annotation *const *list, size_t n)
{
	buf_str(b, "<nav aria-label=\"Functions\">\n<table>\n");
	for (size_t i = 0; i < n; i++) {
		buf_printf(b, "<tr><td>%.2f%%</td><td>", list[i]->info.share);
		put_events(b, list[i]);
		buf_str(b, "</td><td>");
		put_text(b, list[i]->info.dso_name);
		buf_printf(b, "</td><td><a href=\"#f%zu\">", i);
		put_text(b, list[i]->info.symbol);
		buf_str(b, "</a></td></tr>\n");
	}
	buf_str(b, "</table>\n</nav>\n");
}

static void put_about(struct buf *b, const struct sonde_annotation *a, size_t number)
{
	buf_printf(b, "<section id=\"f%zu\">\n<h2>", number);
	put_text(b, a->info.symbol);
	buf_str(b, "</h2>\n<p class=\"about\">");
	put_text(b, a->info.dso);
	buf_str(b, " \302\267 ");
	put_events(b, a);
	buf_printf(b, " \302\267 %" PRIu64 " samples, %.2f%% of all \302\267 %s code from ", a->info.samples,
		   a->info.share, a->info.machine);
	put_text(b, a->info.source);
	buf_str(b, "</p>\n");
	for (size_t i = 0; i < a->notes.list.n; i++) {
		buf_str(b, "<p class=\"notes\" role=\"note\">");
		put_text(b, a->notes.list.at[i]);
		buf_str(b, "</p>\n");
	}
}

static const char *class_of(double percent)
{
	return percent >= MOST_FROM ? " class=\"most\"" : percent >= MUCH_FROM ? " class=\"much\"" :
	       percent >= SOME_FROM ? " class=\"some\"" : "";
}

static void put_arrow(struct buf *b, const struct sonde_annotation_row *row, size_t i)
{
	static const char *const others[] = { [SONDE_FLOW_NEXT] = "  ", [SONDE_FLOW_JUMP] = "  ",
					      [SONDE_FLOW_CALL] = "\u2192 ", [SONDE_FLOW_RETURN] = "\u2190 " };

	if (row->target == SONDE_NO_ROW)
		buf_str(b, others[row->flow]);
	else
		buf_str(b, row->target > i ? "\u2193 " : "\u2191 ");
}

static void put_insn(struct buf *b, const struct sonde_annotation_row *row, size_t number, size_t i)
{
	buf_printf(b, "<tr id=\"f%zur%zu\"%s>", number, i, class_of(row->percent[0]));
	for (size_t k = 0; k < row->nr_percent; k++)
		if (row->counts[k].samples)
			buf_printf(b, "<td title=\"%" PRIu64 " samples\">%.2f</td>", row->counts[k].samples,
				   row->percent[k]);
		else
			buf_str(b, "<td></td>");
	buf_printf(b, "<td>%" PRIx64 "</td><td>", row->addr);
	put_arrow(b, row, i);
	if (row->target != SONDE_NO_ROW)
		buf_printf(b, "<a href=\"#f%zur%zu\">", number, row->target);
	put_text(b, row->text);
	buf_str(b, row->target != SONDE_NO_ROW ? "</a></td></tr>\n" : "</td></tr>\n");
}

static void put_line(struct buf *b, const struct sonde_annotation_row *row, size_t nr_events)
{
	buf_printf(b, "<tr class=\"source\"><td colspan=\"%zu\"></td><td>", nr_events);
	if (row->kind == SONDE_ANNOTATION_SOURCE)
		buf_printf(b, "%u", row->line);
	buf_str(b, "</td><td>");
	put_text(b, row->text);
	buf_str(b, "</td></tr>\n");
}

static void put_function(struct buf *b, const struct sonde_annotation *a, size_t number)
{
	struct sonde_annotation_row row;

	put_about(b, a, number);
	buf_str(b, "<div class=\"code\">\n<table>\n<tr>");
	for (size_t i = 0; i < a->counts.events.n; i++) {
		buf_str(b, "<th title=\"");
		put_text(b, event_name(a, i));
		buf_str(b, "\">Percent</th>");
	}
	buf_str(b, "<th>Address</th><th>Instruction</th></tr>\n");
	for (size_t i = 0; annotation_view(a, i, &row); i++) {
		if (row.kind == SONDE_ANNOTATION_INSN)
			put_insn(b, &row, number, i);
		else
			put_line(b, &row, a->counts.events.n);
	}
	buf_str(b, "</table>\n</div>\n</section>\n");
}

int annotated_write(struct buf *b, struct sonde_annotation *const *list, size_t n)
{
	buf_put(b, annotate_page[0].p, annotate_page[0].len);
	put_contents(b, list, n);
	for (size_t i = 0; i < n && !b->failed; i++)
		put_function(b, list[i], i);
	buf_put(b, annotate_page[1].p, annotate_page[1].len);
	return b->failed;
}
