/* SPDX-License-Identifier: MIT */
/*
 * folded.c - folded stacks: "comm;outer;...;inner 42", one line for each stack
 *
 * Many tools write them, none says how. The lines of a whole file decide on its dialect before samples are taken:
 * whether the first frame is a thread, with which ids, and whether each line has two counts (of difffolded.pl).
 */
#include "import/folded.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/profile/profile_tasks.h"
#include "base/bytes.h"
#include "base/str.h"
#include "import/path.h"

enum {
	COMM_MAX = 15,               /* bytes of a thread's name in the kernel */
	LINES_PROBED = 50,
	THOUSANDTHS = 1000,          /* of counts with a fraction */
};

/* A line, without the blanks at its end. */
struct line {
	struct sonde_str stack;
	struct sonde_str counts[2];  /* [0] is empty where the line has one count */
	uint64_t at;
};

/* The state that all lines share. */
struct dialect {
	bool comms;                  /* the first frame is a thread */
	bool pids, tids;             /* "comm-PID", "comm-PID/TID" */
	bool named_tids;             /* "[comm tid=TID]", as async-profiler writes it */
	bool two_counts;
	bool fractions;
};

/* A frame of the line before, as far as it ends at `end` of the stack's text. */
struct line_part {
	size_t end, steps;           /* steps of the path, which has no marks and no thread */
	bool kernel;                 /* frames that follow are the kernel's */
};

struct folded {
	struct import *im;
	struct dialect dialect;
	struct path path;
	VEC(struct line_part) parts; /* of the line before */
	struct sonde_str before;     /* its stack */
	uint32_t task;
	uint32_t events[2];
	const struct binary *jit;
};

/* ---- lines ---- */

static bool is_number(struct sonde_str s, bool *fraction)
{
	size_t i = s.len && s.p[0] == '-', digits = 0;

	*fraction = false;
	for (; i < s.len; i++) {
		if (s.p[i] == '.' && digits && !*fraction)
			*fraction = true;
		else if (s.p[i] >= '0' && s.p[i] <= '9')
			digits++;
		else
			return false;
	}
	return digits > 0;
}

/* Cuts the last word off a text; empty if that is all of it. */
static struct sonde_str cut_word(struct sonde_str *text)
{
	const char *blank = memrchr(text->p, ' ', text->len), *tab = memrchr(text->p, '\t', text->len);
	struct sonde_str word = { NULL, 0 };

	blank = !blank || (tab && tab > blank) ? tab : blank;
	if (!blank)
		return word;
	word = (struct sonde_str){ blank + 1, (size_t)(text->p + text->len - blank - 1) };
	text->len = (size_t)(blank - text->p);
	return word;
}

static void cut_blanks(struct sonde_str *text)
{
	while (text->len && strchr(" \t\r", text->p[text->len - 1]))
		text->len--;
}

/* The next line that is not empty; false at the end. */
static bool next_line(struct sonde_str *rest, const char *text, struct line *line)
{
	while (rest->len) {
		line->at = (uint64_t)(rest->p - text);
		line->stack = str_take(rest, '\n');
		cut_blanks(&line->stack);
		if (line->stack.len)
			return true;
	}
	return false;
}

/* Takes the counts off a line. False: there is none. */
static bool take_counts(struct line *line, bool *two, bool *fraction)
{
	struct sonde_str shorter;
	bool other_fraction;

	line->counts[0] = (struct sonde_str){ NULL, 0 };
	line->counts[1] = cut_word(&line->stack);
	if (!is_number(line->counts[1], fraction))
		return false;
	cut_blanks(&line->stack);
	shorter = line->stack;
	line->counts[0] = cut_word(&shorter);
	cut_blanks(&shorter);
	*two = shorter.len && is_number(line->counts[0], &other_fraction);  /* else the number is the stack */
	*fraction |= *two && other_fraction;
	return line->stack.len > 0;
}

static struct sonde_str first_frame(const struct line *line)
{
	struct sonde_str rest = line->stack;

	return str_take(&rest, ';');
}

/* ---- the dialect ---- */

/* "[comm tid=12]" */
static bool take_named_tid(struct sonde_str *comm, int32_t *tid)
{
	struct sonde_str s = *comm;

	if (s.len < 7 || s.p[0] != '[' || s.p[s.len - 1] != ']')
		return false;
	s = (struct sonde_str){ s.p + 1, s.len - 2 };
	if (!import_take_id(&s, '=', tid) || !str_ends(s, " tid"))
		return false;
	s.len -= strlen(" tid");
	*comm = s;
	return true;
}

/* Functions in which threads begin: a file that has one of them as its first frame has no threads. */
static bool is_root_function(struct sonde_str name)
{
	static const char *const roots[] = { "main", "_start", "start", "__libc_start_main", "start_thread", "clone",
					     "clone3", "__clone", "__clone3", "all", "root", "<module>", "[unknown]" };

	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (str_is(name, roots[i]))
			return true;
	return false;
}

/* Lowers the dialect to what this line has too. */
static void narrow(struct dialect *d, const struct line *line, bool two, bool fraction)
{
	struct sonde_str comm = first_frame(line), plain = comm, named = comm;
	int32_t id;
	bool tid = import_take_id(&plain, '/', &id), pid = import_take_id(&plain, '-', &id);

	d->two_counts &= two;
	d->fractions |= fraction;
	d->named_tids &= take_named_tid(&named, &id);
	d->tids &= tid && pid;
	d->pids &= pid && !tid;
	d->comms &= (pid ? plain.len : comm.len) <= COMM_MAX && !is_root_function(comm);
}

static struct dialect find_dialect(const struct import *im)
{
	struct dialect d = { .comms = true, .pids = true, .tids = true, .named_tids = true, .two_counts = true };
	struct sonde_str rest = { im->text, im->size };
	bool two, fraction;
	struct line line;

	while (next_line(&rest, im->text, &line))
		if (take_counts(&line, &two, &fraction))
			narrow(&d, &line, two, fraction);
	d.comms |= d.named_tids;
	d.pids &= d.comms;
	d.tids &= d.comms;
	return d;
}

static bool is_folded(const char *text, size_t size, bool whole)
{
	struct sonde_str rest = { text, size };
	struct line line;
	bool two, fraction, stacks = false;
	size_t n = 0;

	for (; n < LINES_PROBED && next_line(&rest, text, &line); n++) {
		if (!rest.len && !whole && text[size - 1] != '\n')
			break;
		if (!take_counts(&line, &two, &fraction) || memchr(line.stack.p, '\0', line.stack.len))
			return false;
		stacks |= memchr(line.stack.p, ';', line.stack.len) != NULL;
	}
	return n && stacks;
}

/* ---- samples ---- */

static int take_thread(struct folded *f, struct sonde_str comm)
{
	int32_t pid = -1, tid = -1;

	if (f->dialect.named_tids)
		take_named_tid(&comm, &tid);
	if (f->dialect.tids)
		import_take_id(&comm, '/', &tid);
	if (f->dialect.pids || f->dialect.tids)
		import_take_id(&comm, '-', &pid);
	f->task = profile_task_add(f->im->profile, comm, 0, pid, tid);
	return f->task == NO_TASK ? -SONDE_NOMEM : 0;
}

/* The letter of a mark at the end of a name, "_[k]", which is cut off; 0: there is none. */
static char take_mark(struct sonde_str *name)
{
	char mark;

	if (name->len < 5 || name->p[name->len - 4] != '_' || name->p[name->len - 3] != '[' ||
	    name->p[name->len - 1] != ']')
		return 0;
	mark = name->p[name->len - 2];
	if (!strchr("kwij01", mark))
		return 0;
	name->len -= 4;
	return mark;
}

static int push_frame(struct folded *f, struct sonde_str name, struct line_part *part)
{
	struct named_frame frame = { .cpumode = CPUMODE_USER };
	char mark;

	if (str_is(name, "-")) {     /* of bcc: between the user part and the kernel's */
		part->kernel = true;
		return 0;
	}
	mark = take_mark(&name);
	if (mark == 'k' || part->kernel)
		frame.cpumode = CPUMODE_KERNEL;
	frame.inlined = mark == 'i';
	if (mark == 'j' && !f->jit)
		f->jit = import_binary(f->im, (struct sonde_str){ "[JIT]", 5 }, (struct sonde_str){ "", 0 });
	if (mark == 'j' && !f->jit)
		return -SONDE_NOMEM;
	frame.binary = mark == 'j' ? f->jit : NULL;
	frame.name = name;
	return path_push(&f->path, f->im->profile, import_frame(f->im, &frame));
}

/* Keeps the parts that a stack has in common with the line before: lines are mostly sorted. */
static struct line_part common_parts(struct folded *f, struct sonde_str stack)
{
	size_t most = stack.len < f->before.len ? stack.len : f->before.len, same = 0, kept = 0;
	struct line_part last = { 0 };

	while (same < most && stack.p[same] == f->before.p[same])
		same++;
	for (; kept < f->parts.n && f->parts.at[kept].end <= same; kept++) {
		size_t end = f->parts.at[kept].end;

		if (end < stack.len && stack.p[end] != ';')
			break;
		last = f->parts.at[kept];
	}
	f->parts.n = kept;
	path_cut(&f->path, last.steps);
	return last;
}

static int take_stack(struct folded *f, struct sonde_str stack)
{
	struct line_part part = common_parts(f, stack);
	struct sonde_str rest = stack, name;
	int r = 0;

	f->before = stack;
	if (f->parts.n)
		str_skip(&rest, part.end + (part.end < stack.len));
	while (r == 0 && rest.len) {
		name = str_take(&rest, ';');
		if (f->dialect.comms && f->parts.n == 0)
			r = take_thread(f, name);
		else
			r = push_frame(f, name, &part);
		part.end = (size_t)(name.p + name.len - stack.p);
		part.steps = f->path.steps.n;
		if (r == 0)
			r = vec_push(&f->parts, part);
	}
	return r;
}

/* A count: exact if it is an integer of at most 18 digits. False after import_bad(). */
static bool take_count(struct folded *f, const struct line *line, struct sonde_str text, uint64_t *out)
{
	uint64_t whole = 0;
	double v = 0, place = 0;

	for (size_t i = 0; i < text.len; i++) {
		double digit = text.p[i] - '0';

		if (text.p[i] == '-')
			continue;
		if (text.p[i] == '.') {
			place = 1;
			continue;
		}
		whole = whole * 10 + (uint64_t)(text.p[i] - '0');
		place /= 10;
		v = place > 0 ? v + place * digit : v * 10 + digit;
	}
	if (text.p[0] != '-' && !f->dialect.fractions && text.len <= 18) {
		*out = whole;
		return true;
	}
	return import_weight(f->im, text.p[0] == '-' ? -v : v, f->dialect.fractions ? THOUSANDTHS : 1, line->at, out);
}

static int take_sample(struct folded *f, const struct line *line, size_t which)
{
	struct imported_sample s = { .event = f->events[which], .task = f->task, .time = SONDE_NONE };
	struct sonde_str text = line->counts[f->dialect.two_counts ? which : 1];

	if (!take_count(f, line, text, &s.period) || !s.period)
		return 0;
	s.samples = f->dialect.fractions ? (s.period + THOUSANDTHS - 1) / THOUSANDTHS : s.period;
	if (path_stack(&f->path, f->im->profile, &s.stack) < 0)
		return -SONDE_NOMEM;
	return import_sample(f->im, &s, line->at);
}

static int take_line(struct folded *f, struct line *line)
{
	struct sonde_str stack = line->stack;
	bool two, fraction;
	int r;

	if (!take_counts(line, &two, &fraction)) {
		import_bad(f->im, SONDE_CORRUPT, line->at, "expected a stack and a count, found '%.*s'",
			   (int)(stack.len < 60 ? stack.len : 60), stack.p);
		return 0;
	}
	stack = line->stack;
	if (f->dialect.two_counts)
		stack.len = (size_t)(line->counts[0].p - stack.p);
	cut_blanks(&stack);
	r = take_stack(f, stack);
	for (size_t i = 0; i < 1u + f->dialect.two_counts && r == 0; i++)
		r = take_sample(f, line, i);
	return r;
}

static int add_events(struct folded *f)
{
	static const char *const names[][2] = { { "samples", "samples x1000" }, { "before", "before x1000" },
						{ "after", "after x1000" } };

	for (size_t i = 0; i < 1u + f->dialect.two_counts; i++) {
		const char *name = names[f->dialect.two_counts + i][f->dialect.fractions];

		f->events[i] = imported_event(f->im->profile, (struct sonde_str){ name, strlen(name) }, false);
		if (f->events[i] == UINT32_MAX)
			return -SONDE_NOMEM;
	}
	return 0;
}

static int read_folded(struct import *im)
{
	struct folded f = { .im = im, .dialect = find_dialect(im) };
	struct sonde_str rest = { im->text, im->size };
	struct line line;
	int r = add_events(&f);

	if (r == 0 && !f.dialect.comms)
		r = take_thread(&f, (struct sonde_str){ "[unknown]", strlen("[unknown]") });
	while (r == 0 && next_line(&rest, im->text, &line))
		r = take_line(&f, &line);
	path_free(&f.path);
	vec_free(&f.parts);
	return r;
}

const struct import_format import_folded = { .name = "folded", .recognise = is_folded, .read = read_folded };
