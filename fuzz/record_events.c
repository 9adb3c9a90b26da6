/* SPDX-License-Identifier: MIT */
/*
 * record_events.c - the text of an -e option; after a NUL a vendor's file of events; after another the text that a PMU
 * gives for its event `alias`; after a third the format of its term `term`
 *
 * The text alone is parsed without sysfs and tracefs. The other parts are those of a PMU in a folder of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/event/event.h"
#include "record/event/vendor_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PMU "bus/event_source/devices/cpu"

static char root[] = "/tmp/sonde-fuzz-events-XXXXXX";

static const char *const folders[] = {
	"bus", "bus/event_source", "bus/event_source/devices", PMU, PMU "/events", PMU "/format",
};
static const char *const files[] = { PMU "/type", PMU "/format/event", PMU "/events/alias", PMU "/format/term" };

static void put(const char *path, const void *text, size_t size)
{
	char full[128];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	f = fopen(full, "w");
	if (!f || fwrite(text, 1, size, f) != size || fclose(f) != 0)
		abort();
}

static void remove_tree(void)
{
	char full[128];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(full, sizeof(full), "%s/%s", root, files[i]);
		unlink(full);
	}
	for (size_t i = sizeof(folders) / sizeof(*folders); i-- > 0;) {
		snprintf(full, sizeof(full), "%s/%s", root, folders[i]);
		rmdir(full);
	}
	rmdir(root);
}

static void make_tree(void)
{
	char full[128];

	if (!mkdtemp(root))
		abort();
	atexit(remove_tree);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(full, sizeof(full), "%s/%s", root, folders[i]);
		if (mkdir(full, 0700) < 0)
			abort();
	}
	put(PMU "/type", "4\n", 2);
	put(PMU "/format/event", "config:0-7\n", 11);
}

static void parse(const char *text, const struct event_roots *roots)
{
	struct sonde_error err = { 0 };
	struct events list = { 0 };

	if (events_parse(&list, text, roots, &err) < 0 && (list.n != 0 || !*err.text))
		abort();
	events_free(&list);
}

/* The part up to the next NUL, which is passed over. */
static struct sonde_str part(const uint8_t **data, size_t *size)
{
	const uint8_t *nul = memchr(*data, 0, *size);
	struct sonde_str s = { (const char *)*data, nul ? (size_t)(nul - *data) : *size };

	*data += s.len + (nul != NULL);
	*size -= s.len + (nul != NULL);
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct event_roots nowhere = { "/nonexistent", "/nonexistent", NULL };
	static bool made;
	struct vendor_events vendor = { 0 };
	struct event_roots roots = { root, "/nonexistent", &vendor };
	struct sonde_str first = part(&data, &size), table, alias;
	char *text = strndup(first.p, first.len);

	if (text && size == 0) {
		parse(text, &nowhere);
	} else if (text) {
		if (!made)
			make_tree();
		made = true;
		table = part(&data, &size);
		alias = part(&data, &size);
		vendor_events_parse(&vendor, table.p, table.len, "fuzz.json", NULL);
		put(PMU "/events/alias", alias.p, alias.len);
		put(PMU "/format/term", data, size);
		parse(text, &roots);
	}
	vendor_events_free(&vendor);
	free(text);
	return 0;
}
