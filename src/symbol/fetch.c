/* SPDX-License-Identifier: MIT */
#include "symbol/fetch.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/library.h"
#include "base/path.h"
#include "base/thread.h"
#include "base/vec.h"
#include "symbol/elf/file.h"

enum {
	THREADS_MOST = 4,
	WAIT_MS = 250,               /* for files that come while a table is made; the sum of all waits */
	ANSWER_MS = 3000,            /* until a server has sent its first byte */
	ANSWER_AGAIN_MS = 2000,      /* the same after a question without an answer, where several servers are asked */
	ALL_MS = 30000,              /* from the first question to the last answer */
	TICK_MS = 1000,              /* libdebuginfod asks whether to go on at least this often */
	UNANSWERED_MOST = 2,         /* then nothing is asked any more */
	UNANSWERED_OF_SEVERAL = 8,   /* the same for several servers, if none of them has answered anything */
	MISS_S = 600,                /* as long as libdebuginfod remembers that there is no such file */
};

/* The functions of libdebuginfod, which is loaded when it is first needed: it brings curl and much else with it. */
static struct {
	bool loaded;
	void *(*begin)(void);
	void (*end)(void *client);
	void (*set_progressfn)(void *client, int (*progress)(void *client, long a, long b));
	void (*set_user_data)(void *client, void *data);
	void *(*get_user_data)(void *client);
	const char *(*get_url)(void *client);
	int (*find[2])(void *client, const unsigned char *id, int id_size, char **path);
} debuginfod;

static void load_debuginfod(void)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	debuginfod.loaded = library && library_function(library, "debuginfod_begin", &debuginfod.begin) &&
			    library_function(library, "debuginfod_end", &debuginfod.end) &&
			    library_function(library, "debuginfod_set_progressfn", &debuginfod.set_progressfn) &&
			    library_function(library, "debuginfod_set_user_data", &debuginfod.set_user_data) &&
			    library_function(library, "debuginfod_get_user_data", &debuginfod.get_user_data) &&
			    library_function(library, "debuginfod_get_url", &debuginfod.get_url) &&
			    library_function(library, "debuginfod_find_debuginfo", &debuginfod.find[FETCH_DEBUGINFO]) &&
			    library_function(library, "debuginfod_find_executable", &debuginfod.find[FETCH_EXECUTABLE]);
}

enum fetch_state { WAITS, RUNS, CAME, ABSENT, UNANSWERED, REFUSED, UNREACHABLE };

struct fetch_order {
	struct fetcher *fetcher;
	enum fetch_kind kind;
	uint8_t id[20];
	size_t id_size;
	enum fetch_state state;
	bool used;                   /* whoever asked got it in time */
	char *path;                  /* of CAME; libdebuginfod's memory */
	int64_t began_ms, answer_ms; /* when it was asked, and how long its first byte may take */
	long calls;                  /* of the progress function, which found: */
	bool answered, given_up;
	int failure;                 /* errno of UNREACHABLE */
};

struct fetcher {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	VEC(struct fetch_order *) orders;
	pthread_t threads[THREADS_MOST];
	size_t nr_threads, running;
	size_t nr_servers;
	size_t unanswered;           /* questions in a row */
	bool any_answer;             /* to one of the questions */
	int failure;                 /* errno of the last question, if no server could be reached; else 0 */
	int64_t first_ms;            /* of the first question; 0: none yet */
	int stop;                    /* atomic */
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool cache_dir(char dir[PATH_MAX])
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n;

	if (own && own[0])
		n = snprintf(dir, PATH_MAX, "%s", own);
	else if (xdg && xdg[0])
		n = snprintf(dir, PATH_MAX, "%s/debuginfod_client", xdg);
	else
		n = snprintf(dir, PATH_MAX, "%s/.cache/debuginfod_client", home && home[0] ? home : "/");
	return n < PATH_MAX;
}

bool fetch_cache_is_own(char dir[PATH_MAX])
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (!cache_dir(dir))
		return false;
	return path_is_own(own && own[0] ? own : xdg && xdg[0] ? xdg : home && home[0] ? home : "/");
}

/* The place of a file in the cache of libdebuginfod; false if there is nothing. An empty file stands for a miss. */
static bool look_up(char path[PATH_MAX], enum fetch_kind kind, const uint8_t *id, size_t id_size, struct stat *st)
{
	static const char *const names[] = { [FETCH_DEBUGINFO] = "debuginfo", [FETCH_EXECUTABLE] = "executable" };
	char dir[PATH_MAX], hex[BUILD_ID_TEXT];

	if (id_size < 2 || !cache_dir(dir))
		return false;
	build_id_print(hex, id, id_size);
	return snprintf(path, PATH_MAX, "%s/%s/%s", dir, hex, names[kind]) < PATH_MAX && stat(path, st) == 0;
}

bool fetch_cached(char path[PATH_MAX], enum fetch_kind kind, const uint8_t *id, size_t id_size)
{
	struct stat st;

	return look_up(path, kind, id, id_size, &st) && st.st_size > 0;
}

static bool is_known_miss(enum fetch_kind kind, const uint8_t *id, size_t id_size)
{
	char path[PATH_MAX];
	struct stat st;

	return look_up(path, kind, id, id_size, &st) && st.st_size == 0 && time(NULL) - st.st_mtime < MISS_S;
}

/* libdebuginfod asks whether to go on; other than 0: no. A number of bytes is there when the server has answered. */
static int progress(void *client, long a, long b)
{
	struct fetch_order *o = debuginfod.get_user_data(client);
	int64_t now = now_ms();

	o->calls++;
	o->answered = b > 0 || a > o->calls || debuginfod.get_url(client);
	o->given_up = __atomic_load_n(&o->fetcher->stop, __ATOMIC_RELAXED) ||
		      now + TICK_MS - o->fetcher->first_ms > ALL_MS ||
		      (!o->answered && now + TICK_MS - o->began_ms > o->answer_ms);
	return o->given_up;
}

/* The library remembers a question that was given up as a miss. A file that was on its way is none. */
static void forget_miss(const struct fetch_order *o)
{
	char path[PATH_MAX];
	struct stat st;

	if (look_up(path, o->kind, o->id, o->id_size, &st) && st.st_size == 0)
		unlink(path);
}

static bool has_id(const char *path, const struct fetch_order *o)
{
	struct elf_file f;
	bool equal;

	if (elf_file_open(&f, path, NULL) < 0)
		return false;
	equal = build_id_equal(o->id, o->id_size, f.build_id, f.build_id_size);
	elf_file_close(&f);
	return equal;
}

/* libdebuginfod tells what its connection has met as errno: ETIME of a silent server. */
static enum fetch_state state_of_failure(struct fetch_order *o, int failure)
{
	if (o->given_up || failure == ETIME || failure == ETIMEDOUT || o->answered)
		return failure == ENOENT && !o->given_up ? ABSENT : UNANSWERED;
	if (failure == ENOENT)
		return ABSENT;
	o->failure = failure;
	return UNREACHABLE;
}

/* Without the lock: takes seconds. */
static enum fetch_state fetch(struct fetch_order *o)
{
	void *client = debuginfod.begin();
	enum fetch_state state;
	char *path = NULL;
	int fd;

	if (!client)
		return UNANSWERED;
	o->began_ms = now_ms();
	debuginfod.set_user_data(client, o);
	debuginfod.set_progressfn(client, progress);
	fd = debuginfod.find[o->kind](client, o->id, (int)o->id_size, &path);
	if (fd >= 0)
		state = has_id(path, o) ? CAME : REFUSED;
	else
		state = state_of_failure(o, -fd);
	if (fd >= 0)
		close(fd);
	else if (o->given_up && (o->answered || __atomic_load_n(&o->fetcher->stop, __ATOMIC_RELAXED)))
		forget_miss(o);
	debuginfod.end(client);
	o->path = path;
	return state;
}

static struct fetch_order *next_order(struct fetcher *f)
{
	for (size_t i = 0; i < f->orders.n; i++)
		if (f->orders.at[i]->state == WAITS)
			return f->orders.at[i];
	return NULL;
}

/*
 * libdebuginfod asks all servers at once and does not say which of them is silent: the silence of one, beside others
 * that have not got the file, must not end the questions to the others. The lock is held.
 */
static bool may_ask(const struct fetcher *f)
{
	size_t most = f->nr_servers > 1 ? UNANSWERED_OF_SEVERAL : UNANSWERED_MOST;

	return (f->unanswered < most || (f->nr_servers > 1 && f->any_answer)) && now_ms() - f->first_ms < ALL_MS;
}

/* After a failure of the only server one question at a time: the others in flight may fail too. */
static bool must_wait(const struct fetcher *f)
{
	return f->nr_servers == 1 && f->unanswered && f->running;
}

static void *run(void *arg)
{
	struct fetcher *f = arg;

	pthread_mutex_lock(&f->lock);
	while (!f->stop) {
		struct fetch_order *o = next_order(f);
		enum fetch_state state = f->failure ? UNREACHABLE : UNANSWERED;
		bool silent;

		if (!o || must_wait(f)) {
			pthread_cond_wait(&f->changed, &f->lock);
			continue;
		}
		o->state = RUNS;
		o->failure = f->failure;
		if (may_ask(f)) {
			o->answer_ms = f->nr_servers > 1 && f->unanswered ? ANSWER_AGAIN_MS : ANSWER_MS;
			f->running++;
			pthread_mutex_unlock(&f->lock);
			state = fetch(o);
			pthread_mutex_lock(&f->lock);
			f->running--;
			f->failure = state == UNREACHABLE ? o->failure : 0;
			silent = state == UNANSWERED || state == UNREACHABLE;
			f->unanswered = silent ? f->unanswered + 1 : 0;
			f->any_answer = f->any_answer || !silent;
		}
		o->state = state;
		pthread_cond_broadcast(&f->changed);
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

static size_t count_words(const char *text)
{
	size_t n = 0;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		n++;
		text += strcspn(text, " ");
	}
	return n;
}

struct fetcher *fetcher_new(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const char *urls = getenv("DEBUGINFOD_URLS");
	size_t nr_servers = urls ? count_words(urls) : 0;
	pthread_condattr_t attr;
	struct fetcher *f;

	if (!nr_servers)
		return NULL;
	pthread_once(&once, load_debuginfod);
	f = debuginfod.loaded ? calloc(1, sizeof(*f)) : NULL;
	if (!f)
		return NULL;
	f->nr_servers = nr_servers;
	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&f->changed, &attr);
	pthread_condattr_destroy(&attr);
	return f;
}

static struct fetch_order *find_order(struct fetcher *f, enum fetch_kind kind, const uint8_t *id, size_t id_size)
{
	for (size_t i = 0; i < f->orders.n; i++) {
		struct fetch_order *o = f->orders.at[i];

		if (o->kind == kind && o->id_size == id_size && !memcmp(o->id, id, id_size))
			return o;
	}
	return NULL;
}

static struct fetch_order *add_order(struct fetcher *f, enum fetch_kind kind, const uint8_t *id, size_t id_size)
{
	struct fetch_order *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	*o = (struct fetch_order){ .fetcher = f, .kind = kind, .id_size = id_size };
	memcpy(o->id, id, id_size);
	if (vec_push(&f->orders, o) < 0) {
		free(o);
		return NULL;
	}
	if (!f->first_ms)
		f->first_ms = now_ms();
	if (f->nr_threads < THREADS_MOST && thread_begin(&f->threads[f->nr_threads], run, f) == 0)
		f->nr_threads++;
	pthread_cond_broadcast(&f->changed);
	return o;
}

static bool is_pending(const struct fetch_order *o)
{
	return o->state == WAITS || o->state == RUNS;
}

bool fetcher_find(struct fetcher *f, char path[PATH_MAX], enum fetch_kind kind, const uint8_t *id, size_t id_size)
{
	struct timespec until;
	struct fetch_order *o;
	int64_t end;
	bool found;

	if (fetch_cached(path, kind, id, id_size))
		return true;
	if (!f || id_size < 2 || id_size > sizeof(o->id) || is_known_miss(kind, id, id_size))
		return false;
	pthread_mutex_lock(&f->lock);
	o = find_order(f, kind, id, id_size);
	o = o ? o : add_order(f, kind, id, id_size);
	end = f->first_ms + WAIT_MS;
	until = (struct timespec){ .tv_sec = (time_t)(end / 1000), .tv_nsec = (long)(end % 1000) * 1000000 };
	while (o && is_pending(o) && f->nr_threads)
		if (pthread_cond_timedwait(&f->changed, &f->lock, &until))
			break;
	found = o && o->state == CAME && snprintf(path, PATH_MAX, "%s", o->path) < PATH_MAX;
	if (found)
		o->used = true;
	pthread_mutex_unlock(&f->lock);
	return found;
}

static struct sonde_fetches count(const struct fetcher *f)
{
	struct sonde_fetches n = { 0 };

	for (size_t i = 0; i < f->orders.n; i++) {
		const struct fetch_order *o = f->orders.at[i];

		n.asked++;
		n.pending += is_pending(o);
		n.late += o->state == CAME && !o->used;
		n.absent += o->state == ABSENT;
		n.unanswered += o->state == UNANSWERED;
		n.refused += o->state == REFUSED;
		n.unreachable += o->state == UNREACHABLE;
		if (o->state == UNREACHABLE)
			n.unreachable_errno = o->failure;
	}
	return n;
}

void fetcher_finish(struct fetcher *f, int (*tell)(void *ctx, const struct sonde_fetches *now), void *ctx)
{
	struct sonde_fetches n;

	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	n = count(f);
	pthread_mutex_unlock(&f->lock);
	if (n.pending && tell(ctx, &n) == 0) {
		pthread_mutex_lock(&f->lock);
		while (n.pending && f->nr_threads) {
			pthread_cond_wait(&f->changed, &f->lock);
			n = count(f);
		}
		pthread_mutex_unlock(&f->lock);
	}
	if (n.asked && !n.pending)
		tell(ctx, &n);
}

void fetcher_free(struct fetcher *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	__atomic_store_n(&f->stop, 1, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
	for (size_t i = 0; i < f->nr_threads; i++)
		pthread_join(f->threads[i], NULL);
	for (size_t i = 0; i < f->orders.n; i++) {
		free(f->orders.at[i]->path);
		free(f->orders.at[i]);
	}
	vec_free(&f->orders);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	free(f);
}
