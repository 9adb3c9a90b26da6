/* SPDX-License-Identifier: MIT */
#include "record/event/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"

static int add_threads(struct target *t, int32_t pid, struct sonde_error *err)
{
	struct arena names_of = { 0 };
	struct names names = { 0 };
	char dir[64];
	int r;

	snprintf(dir, sizeof(dir), "/proc/%d/task", pid);
	r = sysfile_list(&names_of, dir, &names);
	if (r < 0)
		r = r == -ENOENT ? err_set(err, SONDE_MISSING, SONDE_NONE, "there is no process %d", pid) :
				   err_sys(err, -r, "cannot read %s", dir);
	for (size_t i = 0; r == 0 && i < names.n; i++)
		if (vec_push(&t->tids, (int32_t)strtol(names.at[i], NULL, 10)) < 0)
			r = err_nomem(err);
	vec_free(&names);
	arena_free(&names_of);
	if (r == 0 && vec_push(&t->pids, pid) < 0)
		r = err_nomem(err);
	return r;
}

/* The processes of a user. One that ends meanwhile is none. */
static int add_user(struct target *t, uint32_t uid, struct sonde_error *err)
{
	struct arena names_of = { 0 };
	struct names names = { 0 };
	struct stat st;
	char dir[64];
	int r = sysfile_list(&names_of, "/proc", &names);

	if (r < 0)
		r = err_sys(err, -r, "cannot read /proc");
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		const char *name = names.at[i];

		if (name[strspn(name, "0123456789")] ||
		    snprintf(dir, sizeof(dir), "/proc/%s", name) >= (int)sizeof(dir) || stat(dir, &st) < 0 ||
		    st.st_uid != uid)
			continue;
		r = add_threads(t, (int32_t)strtol(name, NULL, 10), err);
		if (r == -SONDE_MISSING) {
			err_clear(err);
			r = 0;
		}
	}
	if (r == 0 && t->tids.n == 0)
		r = err_set(err, SONDE_MISSING, SONDE_NONE, "user %" PRIu32 " has no processes", uid);
	vec_free(&names);
	arena_free(&names_of);
	return r;
}

/* The process that a thread belongs to. */
static int32_t process_of(int32_t tid)
{
	char text[4096];
	const char *p;

	if (sysfile_read(text, sizeof(text), "/proc/%d/status", tid) <= 0 || !(p = strstr(text, "\nTgid:")))
		return -1;
	return (int32_t)strtol(p + strlen("\nTgid:"), NULL, 10);
}

static int add_thread(struct target *t, int32_t tid, struct sonde_error *err)
{
	int32_t pid = process_of(tid);

	if (pid < 0)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "there is no thread %d", tid);
	for (size_t i = 0; i < t->pids.n; i++)
		if (t->pids.at[i] == pid)
			pid = -1;
	if (vec_push(&t->tids, tid) < 0 || (pid >= 0 && vec_push(&t->pids, pid) < 0))
		return err_nomem(err);
	return 0;
}

/* The CPUs of the user's list. Each has to be online. */
static int given_cpus(struct target *t, const char *list, const char *sysfs, struct sonde_error *err)
{
	struct cpus online = { 0 };
	int r = 0;

	if (cpus_parse(&t->cpus, list) < 0)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "'%s' is not a list of CPUs such as 0-3,8", list);
	if (cpus_online(&online, sysfs) < 0)
		return err_nomem(err);
	for (size_t i = 0, k = 0; r == 0 && i < t->cpus.n; i++) {
		while (k < online.n && online.at[k] < t->cpus.at[i])
			k++;
		if (k == online.n || online.at[k] != t->cpus.at[i])
			r = err_set(err, SONDE_MISSING, SONDE_NONE, "CPU %d is not online", t->cpus.at[i]);
	}
	if (r == 0 && t->system_wide && t->cpus.n < online.n) {
		t->measured = t->cpus;
		t->cpus = online;
		return 0;
	}
	vec_free(&online);
	return r;
}

static int leave_out_ended(const struct target *t, int r, struct sonde_error *err)
{
	if (r != -SONDE_MISSING || !t->skip_ended)
		return r;
	err_clear(err);
	return 0;
}

int target_resolve(struct target *t, const struct sonde_perf_recorder_opts *o, int32_t child, const char *sysfs,
		   struct sonde_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < o->target.nr_pids; i++)
		r = leave_out_ended(t, add_threads(t, o->target.pids[i], err), err);
	for (size_t i = 0; r == 0 && i < o->target.nr_tids; i++)
		r = leave_out_ended(t, add_thread(t, o->target.tids[i], err), err);
	if (r == 0 && o->target.nr_pids + o->target.nr_tids > 0 && t->tids.n == 0)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "all tasks have ended");
	if (r == 0 && o->target.of_user)
		r = add_user(t, o->target.uid, err);
	if (r < 0)
		return r;
	if (t->tids.n == 0 && (o->target.all_cpus || o->target.cpus || child < 0)) {
		t->system_wide = true;
		r = vec_push(&t->tids, -1);
	} else if (t->tids.n == 0) {
		r = vec_push(&t->tids, child);
		r = r < 0 ? r : vec_push(&t->pids, child);
	}
	if (r < 0)
		return err_nomem(err);
	if (o->target.cpus)
		return given_cpus(t, o->target.cpus, sysfs, err);
	if (o->target.per_thread && !t->system_wide)
		r = vec_push(&t->cpus, -1);
	else
		r = cpus_online(&t->cpus, sysfs);
	return r < 0 ? err_nomem(err) : 0;
}

void target_free(struct target *t)
{
	vec_free(&t->cpus);
	vec_free(&t->measured);
	vec_free(&t->tids);
	vec_free(&t->pids);
}
