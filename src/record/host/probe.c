/* SPDX-License-Identifier: MIT */
#include "record/host/probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "record/host/process_id.h"
#include "record/host/sysfile.h"
#include "record/host/tracefs.h"

#define GROUP_FORMAT "sonde_%ld_%llx_%llx"
#define DEFINITION_MAX 4096
#define NUMBERS_MAX 1000             /* probes of one name */

static const char *const files[] = { "kprobe_events", "uprobe_events" };

/* "error: Failed to find symbol" of the last entry of the kernel's error_log. */
static void read_reason(const char *tracefs, char *out, size_t size)
{
	struct buf log = BUF_MEMORY;
	const char *last = NULL;

	out[0] = '\0';
	if (tracefs_read(&log, tracefs, "error_log") == 0) {
		buf_char(&log, '\0');
		for (const char *p = log.failed ? NULL : log.p; p && (p = strstr(p, "error: ")); p++)
			last = p + strlen("error: ");
	}
	if (last)
		snprintf(out, size, ": %.*s", (int)strcspn(last, "\n"), last);
	buf_free(&log);
}

static int cannot_add(const struct probe *p, const char *tracefs, int e, struct sonde_error *err)
{
	char reason[100];

	if (e == -ENOENT && !p->user)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "this kernel was built without kprobes (CONFIG_KPROBE_EVENTS)");
	if (e == -EACCES || e == -EPERM)
		return err_set(err, SONDE_DENIED, SONDE_NONE, "probes belong to root: cannot write to %.100s/%s",
			       tracefs, files[p->user]);
	read_reason(tracefs, reason, sizeof(reason));
	return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "the kernel refuses the probe (%s)%s", strerror(-e), reason);
}

static bool is_taken(const struct probe *p, const char *tracefs)
{
	uint64_t id;

	return sysfile_u64(&id, "%s/events/%s/%s/id", tracefs, p->group, p->event);
}

int probe_add(struct probe *p, const char *tracefs, bool on_return, const char *place, const char *args,
	      struct sonde_error *err)
{
	struct process_id own = process_id_own();
	size_t length = strlen(p->event);
	char text[DEFINITION_MAX];
	int n, e;

	snprintf(p->group, sizeof(p->group), GROUP_FORMAT, own.pid, own.start, own.namespace);
	for (int i = 1; is_taken(p, tracefs) && i < NUMBERS_MAX; i++)
		snprintf(p->event + (length < sizeof(p->event) - 5 ? length : sizeof(p->event) - 5), 5, "_%d", i);
	n = snprintf(text, sizeof(text), "%c:%s/%s %s%s%s\n", on_return ? 'r' : 'p', p->group, p->event, place,
		     *args ? " " : "", args);
	if (n < 0 || (size_t)n >= sizeof(text))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the definition of the probe is too long");
	e = tracefs_write(tracefs, files[p->user], text, true);
	return e < 0 ? cannot_add(p, tracefs, e, err) : 0;
}

void probe_remove(const struct probe *p, const char *tracefs)
{
	char text[256];

	snprintf(text, sizeof(text), "-:%s/%s\n", p->group, p->event);
	tracefs_write(tracefs, files[p->user], text, true);
}

/* "p:sonde_17_2fe_f0000001/main /bin/ls:0x...": the probe, if its process has ended. */
static bool is_leftover(const char *line, struct probe *p, struct process_id *owner)
{
	int end = 0;

	/* a return probe may have the number of its instances: "r10:" */
	line += *line == 'p' || *line == 'r';
	line += strspn(line, "0123456789");
	if (sscanf(line, ":" GROUP_FORMAT "/%n", &owner->pid, &owner->start, &owner->namespace, &end) != 3 || !end ||
	    !process_id_is_dead(owner))
		return false;
	snprintf(p->group, sizeof(p->group), GROUP_FORMAT, owner->pid, owner->start, owner->namespace);
	snprintf(p->event, sizeof(p->event), "%.*s", (int)strcspn(line + end, " \n"), line + end);
	return true;
}

void probe_remove_leftovers(const char *tracefs, const struct messenger *m)
{
	for (int user = 0; user <= 1; user++) {
		struct buf text = BUF_MEMORY;
		unsigned removed = 0;
		long pid = 0;

		if (tracefs_read(&text, tracefs, files[user]) == 0 && text.n) {
			buf_char(&text, '\0');
			for (const char *line = text.failed ? "" : text.p; *line; line += *line != '\0') {
				struct probe p = { .user = user };
				struct process_id owner;

				if (is_leftover(line, &p, &owner)) {
					probe_remove(&p, tracefs);
					pid = owner.pid;
					removed++;
				}
				line += strcspn(line, "\n");
			}
		}
		buf_free(&text);
		if (removed)
			messenger_say(m, "removed %u %s that a killed recorder had left (process %ld)", removed,
				      removed == 1 ? "probe" : "probes", pid);
	}
}
