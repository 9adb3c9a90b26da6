/* SPDX-License-Identifier: MIT */
#include "cli/stat/run.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/ending.h"
#include "cli/base/file_limit.h"
#include "cli/stat/events.h"

#define HEADING_EVERY 25       /* intervals */
#define LOOK_AFTER_TASKS_MS 20
#define CLEAR_SCREEN "\033[H\033[J"

static volatile sig_atomic_t caught;
static int wake_fd = -1;

/* The loop of a run: moments at which it wakes up. */
struct loop {
	struct stat_run *run;
	struct sonde_counter *counter;
	uint64_t start, enable_at, next_interval, end;  /* of CLOCK_MONOTONIC, ns; 0: never */
	uint64_t intervals;
	uint64_t reading;            /* ns that reading and printing the intervals took */
	bool done;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void on_signal(int sig)
{
	uint64_t one = 1;
	int old = errno;

	caught = sig;
	if (write(wake_fd, &one, sizeof(one)) < 0)
		caught = sig;        /* it is awake already */
	errno = old;
}

int stat_run_catch_signals(void)
{
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wake_fd < 0) {
		say("cannot make an eventfd: %s", strerror(errno));
		return 1;
	}
	ending_catch(on_signal, false);
	return 0;
}

int stat_run_caught(void)
{
	return caught;
}

/* ---- opening ---- */

/* Every process, for --per-thread -a. */
static int add_all_processes(struct numbers *out)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int r = d ? 0 : 1;

	while (!r && (e = readdir(d)))
		if (isdigit((unsigned char)*e->d_name))
			r = list_add_numbers(out, e->d_name, "-a") < 0;
	if (d)
		closedir(d);
	return r;
}

/* Why events are not counted. */
static void say_refusals(struct sonde_stat *s)
{
	const size_t n = sonde_counter_count(sonde_stat_counter(s));

	for (size_t i = 0; i < n; i++)
		if (sonde_stat_refusal(s, i))
			say("%s", sonde_stat_refusal(s, i));
}

static int open_counter(struct loop *l)
{
	const struct stat_words *w = &stat_words;
	bool tasks = w->pids.n || w->tids.n, cpus = w->all_cpus || w->cpus;
	struct numbers everything = { 0 };
	struct sonde_counter_opts opts = {
		.sz = sizeof(opts), .command = (const char *const *)l->run->command, .cpus = w->cpus,
		.pids = w->pids.at, .nr_pids = w->pids.n, .tids = w->tids.at, .nr_tids = w->tids.n,
		.all_cpus = w->all_cpus && !tasks, .no_inherit = w->no_inherit, .user_only = w->user_only,
		.kernel_only = w->kernel_only, .best_effort = true, .more_files = raise_file_limit,
	};
	const struct sonde_error *e = sonde_stat_error(l->run->stat);
	int r;

	if (w->by == SONDE_STAT_BY_THREAD && !tasks) {
		if (add_all_processes(&everything))
			return 1;
		opts.pids = everything.at;
		opts.nr_pids = everything.n;
		opts.all_cpus = false;
		opts.skip_ended = true;      /* processes end all the time */
	}
	opts.running = l->run->command && !tasks && !cpus && w->delay_ms == 0;
	r = sonde_stat_open(l->run->stat, &opts);
	free(everything.at);
	l->counter = sonde_stat_counter(l->run->stat);
	if (w->verbose && l->run->nr == 0 && (r == 0 || e->code == SONDE_UNSUPPORTED))
		say_refusals(l->run->stat);
	if (r == 0)
		return 0;
	if (w->cpus && e->code == SONDE_MISSING)
		say("No supported events found: %s", e->text);
	else
		say_error(NULL, e);
	return 1;
}

/* ---- intervals ---- */

static void print_interval(struct loop *l)
{
	const struct stat_format *f = l->run->format;
	uint64_t began = now_ns();
	struct sonde_stat_times times = { .sz = sizeof(times), .elapsed = began - l->start };

	if (sonde_counter_read(l->counter) < 0)
		return;
	if (sonde_stat_take(l->run->stat, SONDE_STAT_INTERVAL, &times) < 0)
		say_error(NULL, sonde_stat_error(l->run->stat));
	if (stat_words.interval_clear)
		fputs(CLEAR_SCREEN, f->out);
	if (l->intervals % HEADING_EVERY == 0 || stat_words.interval_clear)
		stat_print_heading(f, l->run->stat);
	stat_print_table(f, l->run->stat, (double)times.elapsed * 1e-9);
	l->intervals++;
	l->reading += now_ns() - began;
}

/* ---- the loop ---- */

/* A process that has ended stays until its parent asks for it. */
static bool is_alive(int32_t tid)
{
	char path[64], state = 0;
	FILE *f;
	int c;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	/* the name may have anything in it but a last ')' */
	for (long n = 0; n < 4096 && (c = fgetc(f)) != EOF; n++)
		if (c == ')') {
			fgetc(f);
			c = fgetc(f);
			state = (char)c;
		}
	fclose(f);
	return state != 'Z' && state != 'X';
}

static bool any_alive(void)
{
	for (size_t i = 0; i < stat_words.pids.n; i++)
		if (is_alive(stat_words.pids.at[i]))
			return true;
	for (size_t i = 0; i < stat_words.tids.n; i++)
		if (is_alive(stat_words.tids.at[i]))
			return true;
	return false;
}

static void begin_counting(struct loop *l)
{
	if (sonde_counter_enable(l->counter) < 0)
		say_error(NULL, sonde_counter_error(l->counter));
	l->start = now_ns();
	l->enable_at = 0;
	if (stat_words.interval_ms)
		l->next_interval = l->start + stat_words.interval_ms * 1000000;
}

static void obey(struct loop *l)
{
	enum stat_word word;

	while ((word = stat_control_next(l->run->control)) != STAT_WORD_NONE) {
		if (word == STAT_WORD_ENABLE)
			sonde_counter_enable(l->counter);
		else if (word == STAT_WORD_DISABLE)
			sonde_counter_disable(l->counter);
		else if (word == STAT_WORD_STOP)
			l->done = l->run->cut_short = true;
		stat_control_ack(l->run->control);
	}
}

/* Everything that is due at this moment. */
static void do_due(struct loop *l)
{
	bool watches_tasks = !l->run->command && (stat_words.pids.n || stat_words.tids.n);
	uint64_t now = now_ns();

	if (l->enable_at && now >= l->enable_at)
		begin_counting(l);
	if (l->next_interval && now >= l->next_interval) {
		print_interval(l);
		while (l->next_interval <= now)
			l->next_interval += stat_words.interval_ms * 1000000;
		if (stat_words.interval_count && l->intervals >= stat_words.interval_count)
			l->done = l->run->cut_short = true;
	}
	if (l->end && now >= l->end)
		l->done = l->run->cut_short = true;
	if (caught)
		l->done = true;
	if (l->run->command ? sonde_counter_command(l->counter)->ended : watches_tasks && !any_alive())
		l->done = true;
}

/* Milliseconds until something is due, rounded up; -1: nothing ever is. */
static int time_left(const struct loop *l, bool look_after_tasks)
{
	const uint64_t due[] = { l->enable_at, l->next_interval, l->end };
	uint64_t now = now_ns(), first = 0;

	for (size_t i = 0; i < sizeof(due) / sizeof(due[0]); i++)
		if (due[i] && (!first || due[i] < first))
			first = due[i];
	if (look_after_tasks && (!first || first > now + LOOK_AFTER_TASKS_MS * 1000000))
		first = now + LOOK_AFTER_TASKS_MS * 1000000;
	if (!first)
		return -1;
	return first <= now ? 0 : (int)((first - now + 999999) / 1000000);
}

static void wait_for_end(struct loop *l)
{
	const struct sonde_counter_command *command = sonde_counter_command(l->counter);
	bool look = command ? command->fd < 0 : stat_words.pids.n || stat_words.tids.n;

	do_due(l);
	while (!l->done) {
		struct pollfd fds[] = {
			{ .fd = wake_fd, .events = POLLIN },
			{ .fd = command ? command->fd : -1, .events = POLLIN },
			{ .fd = l->run->control->fd, .events = POLLIN },
		};

		if (poll(fds, 3, time_left(l, look)) > 0 && fds[2].revents)
			obey(l);
		do_due(l);
	}
}

/* ---- a run ---- */

static int shell(const char *option, const char *text)
{
	int r = text ? system(text) : 0;

	if (r)
		say("%s: '%s' has failed", option, text);
	return r != 0;
}

static int start(struct loop *l)
{
	const struct stat_words *w = &stat_words;
	bool by_exec = l->run->command && !w->pids.n && !w->tids.n && !w->all_cpus && !w->cpus;

	if (w->sync)
		sync();
	if (shell("--pre", w->pre))
		return 1;
	l->start = now_ns();
	if (w->timeout_ms)
		l->end = l->start + w->timeout_ms * 1000000;
	if (w->delay_ms > 0)
		l->enable_at = l->start + (uint64_t)w->delay_ms * 1000000;
	else if (w->delay_ms == 0 && !by_exec)
		begin_counting(l);
	if (w->interval_ms && !l->enable_at)
		l->next_interval = l->start + w->interval_ms * 1000000;
	if (l->run->command && sonde_counter_start(l->counter) < 0)
		return say_error(NULL, sonde_counter_error(l->counter));
	if (by_exec && w->delay_ms == 0)
		l->start = sonde_counter_command(l->counter)->start_ns;
	return 0;
}

static void finish(struct loop *l, struct sonde_stat_times *out)
{
	struct stat_run *run = l->run;
	const struct sonde_counter_command *command = sonde_counter_command(l->counter);
	uint64_t end;

	if (!command || !command->ended || stat_words.all_cpus || stat_words.cpus)
		sonde_counter_disable(l->counter);
	end = now_ns();
	if (command && !command->ended) {
		kill(command->pid, SIGTERM);
		while (sonde_counter_wait_command(l->counter, -1) == 0)
			;
		command = sonde_counter_command(l->counter);
	} else if (command) {
		end = command->end_ns;
	}
	run->wait_status = command ? command->wait_status : -1;
	run->elapsed = end > l->start ? end - l->start : 0;
	out->elapsed = run->elapsed;
	out->user = command ? command->user_ns : 0;
	out->system = command ? command->system_ns : 0;
	shell("--post", stat_words.post);
}

static int begin_file(struct loop *l)
{
	const char *path = stat_words.record;

	if (path && sonde_stat_record(l->run->stat, path, l->run->command, stat_words.interval_ms) < 0)
		return say_error(path, sonde_stat_error(l->run->stat));
	return 0;
}

static int prepare(struct loop *l)
{
	struct stat_run *run = l->run;
	int r = run->nr ? 0 : stat_take_events(run->stat);

	if (!r && !sonde_counter_count(sonde_stat_counter(run->stat)) && !run->command)
		r = say_usage("there is nothing to count and no command to measure");
	r = r ? r : open_counter(l);
	r = r ? r : begin_file(l);
	return r ? r : start(l);
}

int stat_run_once(struct stat_run *run)
{
	struct loop l = { .run = run };
	struct sonde_stat_times times = { .sz = sizeof(times) };
	int r;

	run->wait_status = -1;
	r = prepare(&l);
	if (r)
		return r;
	wait_for_end(&l);
	finish(&l, &times);
	if (stat_words.interval_ms && !(stat_words.interval_count && l.intervals >= stat_words.interval_count))
		print_interval(&l);
	if (stat_words.verbose && l.intervals > 0)
		say("%llu intervals took %.3f ms, %.2f %% of the time", (unsigned long long)l.intervals,
		    (double)l.reading * 1e-6, 100 * (double)l.reading / (double)(run->elapsed + 1));
	if (sonde_counter_read(l.counter) < 0)
		return say_error(NULL, sonde_counter_error(l.counter));
	if (sonde_stat_take(run->stat, stat_words.interval_ms ? SONDE_STAT_TOTAL : SONDE_STAT_RUN, &times) < 0)
		return say_error(NULL, sonde_stat_error(run->stat));
	return 0;
}
