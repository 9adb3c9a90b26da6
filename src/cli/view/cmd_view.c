/* SPDX-License-Identifier: MIT */
/* cmd_view.c - a profile in a browser, by a server that only this machine reaches */
#include <sonde/view.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/ledger.h"
#include "cli/base/memory.h"
#include "cli/base/no_samples.h"
#include "cli/base/report.h"
#include "cli/base/stacks.h"
#include "cli/base/symbol_notes.h"
#include "cli/report/opened.h"
#include "cli/report/page_code.h"
#include "cli/view/open_page.h"
#include "cli/view/server.h"

static uint64_t port, timeout;
static bool browser = true, browser_given;
static bool with_source;             /* the page has the code of hot functions */
static const char *baseline;
static struct strings inputs;

static const struct option_row view_options[] = {
	{ "input", 'i', OPTION_STRINGS, &inputs, .arg = "FILE",
	  .help = "a trace, - for the standard input; may be repeated" },
	JOBS_ROW,
	{ "port", 0, OPTION_U64, &port, .arg = "N",
	  .help = "listen on this port of 127.0.0.1 (default: any free one)" },
	{ "browser", 0, OPTION_FLAG, &browser, .given = &browser_given,
	  .help = "open the page with xdg-open (default: if the output is a terminal on a desktop)" },
	{ "timeout", 0, OPTION_U64, &timeout, .arg = "SECONDS",
	  .help = "end after this time without a request (default: never)" },
	{ "source", 0, OPTION_FLAG, &with_source,
	  .help = "show the code of the hottest functions and lines of their source" },
	{ "baseline", 0, OPTION_STRING, &baseline, .arg = "FILE", .help = "compare with this older recording" },
	MAX_STACK_ROW,
	STITCH_LBR_ROW,
	INLINE_ROW,
	{ .kind = OPTION_HEADING, .help = "Which samples" },
	SELECTION_ROWS,
	{ "comms", 0, OPTION_CALL, .call = select_comms, .arg = "NAME,...", .help = "of threads of these names" },
	{ .kind = OPTION_HEADING, .help = "Symbols" },
	SYMBOL_ROWS,
	ACCEPTED_SYMBOL_ROWS,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

/* ---- answers ---- */

struct text {
	char *p;
	size_t n, cap;
};

static int append(void *ctx, const void *bytes, size_t n)
{
	struct text *t = ctx;

	if (n > t->cap - t->n) {
		size_t cap = (t->n + n) * 2;
		char *p = realloc(t->p, cap);

		if (!p)
			return -1;
		t->p = p;
		t->cap = cap;
	}
	memcpy(t->p + t->n, bytes, n);
	t->n += n;
	return 0;
}

static int answer(void *ctx, const char *question, char **p, size_t *n)
{
	struct text text = { 0 };
	const struct sonde_output to = { .sz = sizeof(to), .write = append, .ctx = &text };
	int r = sonde_view_answer(ctx, question, &to, NULL);

	if (r < 0) {
		free(text.p);
		return r == -SONDE_USAGE ? 400 : 500;
	}
	*p = text.p;
	*n = text.n;
	return 0;
}

/* ---- the server ---- */

/* A descriptor that can be read when a signal asks the program to end; negative: errno. */
static int catch_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGPIPE);    /* writing causes none: MSG_NOSIGNAL */
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0 || sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	return fd;
}

static void open_browser(struct opened_page *page, const char *url)
{
	int r;

	if (!browser || (!browser_given && !(isatty(STDOUT_FILENO) && open_page_is_likely())))
		return;
	r = open_page(page, url);
	if (r < 0)
		warn("no browser was opened: xdg-open: %s", strerror(-r));
}

static int serve(struct server *server)
{
	int r = server_open(server, (uint16_t)port), stop_fd;
	struct opened_page page = { 0 };
	char url[128];

	if (r < 0 && port) {
		say("cannot listen on port %u of 127.0.0.1: %s", (unsigned)port, strerror(-r));
		return 1;
	}
	if (r < 0) {
		say("cannot listen on 127.0.0.1: %s", strerror(-r));
		return 1;
	}
	stop_fd = catch_signals();
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/#token=%s", server->port, server->token);
	if (stop_fd < 0) {
		say("cannot wait for signals: %s", strerror(-stop_fd));
		r = stop_fd;
	} else if (puts(url) == EOF || fflush(stdout) != 0) {
		say("cannot write the output");
		r = -1;
	} else {
		if (isatty(STDERR_FILENO))
			say_done("open this address in a browser of this machine; Ctrl-C ends");
		open_browser(&page, url);
		r = server_run(server, stop_fd);
		if (r < 0)
			say("cannot serve: %s", strerror(-r));
	}
	open_page_end(&page);
	if (stop_fd >= 0)
		close(stop_fd);
	server_close(server);
	return r < 0;
}

/* A profile and its traces. */
struct viewed {
	struct sonde_profile *profile;       /* of the baseline NULL: there is none */
	struct opened_input opened;
};

static int serve_page(const struct viewed *v, const struct sonde_export_opts *opts)
{
	struct sonde_error err = { .sz = sizeof(err) };
	struct text text = { 0 };
	const struct sonde_output to = { .sz = sizeof(to), .write = append, .ctx = &text };
	struct server server = { .answer = answer, .idle_seconds = timeout };
	struct sonde_view *view;
	int status;

	view = sonde_view_new(v->profile, opts, &err);
	if (view && sonde_view_write_page(&to, &err) == 0) {
		server.page = (struct sonde_bytes){ (const uint8_t *)text.p, text.n };
		server.ctx = view;
		status = serve(&server);
	} else {
		status = say_error(NULL, &err);
	}
	sonde_view_free(view);
	free(text.p);
	return status;
}

static int serve_profile(const struct viewed *v, const struct viewed *old)
{
	struct sonde_page_opts page = { .sz = sizeof(page), .baseline = old->profile };
	struct sonde_export_opts opts = { .sz = sizeof(opts), .noted = report_say_note, .page = &page };
	const struct sonde_annotate_opts how = { .sz = sizeof(how), .source = true };
	struct page_code code = { 0 };
	int status;

	if (with_source && page_code_take(&code, v->profile, &how) < 0) {
		page_code_free(&code);
		return say_out_of_memory();
	}
	page.code = code.list;
	page.nr_code = code.n;
	report_describe_all(&opts, v->opened.traces, v->opened.n);
	if (old->profile)
		report_describe_baseline(&page, old->opened.traces[0]);
	status = serve_page(v, &opts);
	page_code_free(&code);
	return status;
}

/* ---- the profile ---- */

static bool has_samples(const struct sonde_profile *p)
{
	const struct sonde_profile_event *e;

	for (size_t i = 0; (e = sonde_profile_event_at(p, i)); i++)
		if (e->samples)
			return true;
	return false;
}

static struct sonde_profile *new_profile(bool timed)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .symbols = &symbol_options,
						 .mode = SONDE_PROFILE_STACKS,
						 .max_stack = stack_limit(stack_words.max_stack),
						 .threads = threads_wanted(),
						 .inlined = stack_words.inlined, .stitch_lbr = stack_words.stitch_lbr,
						 .full_source_path = true,
						 .by = with_source && timed ? (uint32_t)SONDE_BY_SYMBOL_OFFSET : 0,
						 .timed = timed, .tracks = timed, .timed_most = memory_view_samples(),
						 .comms = selected.comms.at, .nr_comms = selected.comms.n };

	return sonde_profile_new(&opts);
}

/* Gathers the samples of traces. Returns the exit status. */
static int gather(struct viewed *v, bool timed, const char *const *paths, size_t n)
{
	const struct sonde_query query = selection();

	v->profile = new_profile(timed);
	return v->profile ? opened_add(&v->opened, v->profile, &query, paths, n) : say_out_of_memory();
}

/* Notes on samples, and losses, are told before the server begins: it does not end by itself. Returns the status. */
static int say_notes(const struct viewed *v)
{
	int status = 0;

	if (v->profile)
		say_shortened(v->profile, stack_words.max_stack, false);
	for (size_t i = 0; i < v->opened.n; i++) {
		if (stack_words.stitch_lbr)
			say_not_stitched(v->opened.traces[i]);
		status |= ledger_print(v->opened.traces[i]);
	}
	return status;
}

static bool is_gathered(const struct viewed *v)
{
	return v->profile && !v->opened.out_of_memory && has_samples(v->profile);
}

static int view(const char *const *paths, size_t n)
{
	struct viewed now = { 0 }, old = { 0 };
	int status = baseline ? gather(&old, false, &baseline, 1) : 0;

	status |= gather(&now, true, paths, n);
	status |= say_notes(&old) | say_notes(&now);
	if (is_gathered(&now) && (!baseline || is_gathered(&old)))
		status |= serve_profile(&now, &old);
	else if (!status)
		say_no_samples(is_gathered(&now) ? old.opened.traces : now.opened.traces,
			    is_gathered(&now) ? old.opened.n : now.opened.n);
	opened_close(&old.opened);
	opened_close(&now.opened);
	sonde_profile_free(old.profile);
	sonde_profile_free(now.profile);
	return status;
}

static int view_run(int argc, char **argv)
{
	static const char *const usual[] = { "perf.data" };

	if (port > UINT16_MAX)
		return say_usage("--port takes a number up to 65535");
	if (inputs.n && argc)
		return say_usage("traces with -i or without, not both: '%s'", argv[0]);
	symbol_notes_warn_of_lines(&symbol_options);
	return inputs.n ? view(inputs.at, inputs.n) :
	       argc	? view((const char *const *)argv, (size_t)argc) :
			  view(usual, 1);
}

static const struct example view_examples[] = {
	{ "sonde view", "look at perf.data in a browser, however large it is" },
	{ "sonde view --port 8123 --no-browser perf.data",
	  "the same for the browser of another machine: `ssh -L 8123:127.0.0.1:8123 HOST` there" },
	{ 0 },
};

const struct command cmd_view = {
	.name = "view",
	.args = "[FILE...]",
	.help = "look at a profile in a browser, however large it is",
	.details = "The page is that of sonde report --html, but the samples stay with sonde: the page asks for sums "
		   "and tracks of the range that it shows. So it opens recordings of many million samples, 24 bytes "
		   "of memory for each. The address is printed to the standard output. It ends with a token, without "
		   "which nobody gets data. Only browsers of this machine reach it; from another one, "
		   "`ssh -L PORT:127.0.0.1:PORT HOST` with the same PORT on both sides, and --port PORT here.\n"
		   "The command ends with Ctrl-C, SIGTERM, or the --timeout.",
	.options = view_options,
	.examples = view_examples,
	.run = view_run,
};
