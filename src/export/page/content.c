/* SPDX-License-Identifier: MIT */
#include "export/page/content.h"

#include "export/page/code.h"

/* The profile that the options compare with. */
static int gather_before(struct shown_content *c, const struct export *x)
{
	struct export before = *x;
	int ret;

	before.profile = x->page.baseline;
	before.recorded = x->baseline_recorded;
	before.cells = (struct event_cells){ 0 };
	ret = export_cells(&before);
	if (ret == 0)
		ret = page_gather(&c->before, &before, false);
	event_cells_free(&before.cells);
	return ret;
}

int content_gather(struct shown_content *c, const struct export *x, bool with_samples)
{
	int ret;

	*c = (struct shown_content){ .code = BUF_MEMORY, .compares = x->page.baseline != NULL };
	ret = page_gather(&c->page, x, with_samples);
	if (ret == 0 && c->compares)
		ret = gather_before(c, x);
	if (ret == 0 && x->page.nr_code)
		ret = code_write(&c->code, x, c->page.function_of);
	return ret;
}

struct html_profile content_view(const struct shown_content *c, struct html_profile *before)
{
	struct html_profile view = page_view(&c->page);

	view.code = (struct sonde_str){ c->code.p, c->code.n };
	if (c->compares) {
		*before = page_view(&c->before);
		view.baseline = before;
	}
	return view;
}

void content_free(struct shown_content *c)
{
	page_free(&c->page);
	page_free(&c->before);
	buf_free(&c->code);
}

int export_html(struct export *x)
{
	struct shown_content content;
	struct html_profile before, shown;
	int ret = content_gather(&content, x, true);

	shown = content_view(&content, &before);
	if (ret == 0)
		ret = html_write(x->out, &shown);
	if (ret == 0 && x->profile->timed.given_up)
		export_note(x, "the page has no time axis: it takes at most %zu samples", x->profile->timed.most);
	if (ret == -SONDE_NOMEM)
		err_nomem(x->err);
	content_free(&content);
	return ret < 0 ? ret : x->profile->cells.n > 0;
}
