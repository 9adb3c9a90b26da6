/* SPDX-License-Identifier: MIT */
#include "cli/base/times.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define MAX_RANGES 4096

/* From and to, in ns or in percent of the recording. */
struct share {
	double from, to;
};

static struct sonde_time_range ranges[MAX_RANGES];
static struct share shares[MAX_RANGES];
static size_t nr_ranges, nr_shares;
static const char *given;            /* by --time; NULL: nothing */

/* Seconds with up to nine digits after the point. */
static bool parse_seconds(const char *p, size_t n, uint64_t *ns)
{
	uint64_t seconds = 0, fraction = 0, unit = NS_PER_SECOND;
	size_t i = 0;

	for (; i < n && isdigit((unsigned char)p[i]); i++) {
		seconds = seconds * 10 + (uint64_t)(p[i] - '0');
		if (seconds > UINT64_MAX / NS_PER_SECOND / 10)
			return false;
	}
	if (i < n && p[i] == '.')
		for (i++; i < n && isdigit((unsigned char)p[i]) && unit > 1; i++) {
			unit /= 10;
			fraction += (uint64_t)(p[i] - '0') * unit;
		}
	*ns = seconds * NS_PER_SECOND + fraction;
	return n > 0 && i == n;
}

/* "from,to" of n characters; either number may be missing. */
static bool parse_range(const char *p, size_t n, struct sonde_time_range *out)
{
	const char *comma = memchr(p, ',', n);
	size_t before = comma ? (size_t)(comma - p) : n, behind = comma ? n - before - 1 : 0;

	*out = (struct sonde_time_range){ 0, UINT64_MAX };
	if (before == 0 && behind == 0)
		return false;
	return (before == 0 || parse_seconds(p, before, &out->from)) &&
		(behind == 0 || parse_seconds(comma + 1, behind, &out->to));
}

/* A number without sign or exponent; *p moves to its end. */
static bool parse_number(const char **p, const char *end, double *out)
{
	double v = 0, unit = 1;
	const char *from = *p;

	for (; *p < end && isdigit((unsigned char)**p) && v < 1e15; (*p)++)
		v = v * 10 + (**p - '0');
	if (*p == from)
		return false;
	if (*p < end && **p == '.')
		for ((*p)++; *p < end && isdigit((unsigned char)**p); (*p)++)
			v += (unit /= 10) * (**p - '0');
	*out = v;
	return true;
}

static bool parse_percent(const char **p, const char *end, double *out)
{
	return parse_number(p, end, out) && *p < end && *(*p)++ == '%';
}

/* "10%/2", "10%-20%" or "10%". */
static bool parse_share(const char *p, size_t n, struct share *out)
{
	const char *end = p + n;
	double a, b;

	if (!parse_percent(&p, end, &a))
		return false;
	if (p == end) {
		*out = (struct share){ 0, a };
	} else if (*p == '/') {
		p++;
		if (!parse_number(&p, end, &b) || b < 1 || b != floor(b))
			return false;
		*out = (struct share){ a * (b - 1), a * b };
	} else if (*p == '-') {
		p++;
		if (!parse_percent(&p, end, &b))
			return false;
		*out = (struct share){ a, b };
	}
	return p == end && out->from < out->to && out->to <= 100 + 1e-9;
}

static bool parse_all(const char *text)
{
	bool percent = strchr(text, '%');
	const char *stops = percent ? ", " : " ";

	times_forget();
	for (const char *p = text + strspn(text, " "); *p;) {
		size_t n = strcspn(p, stops);
		bool good;

		if (nr_ranges == MAX_RANGES || nr_shares == MAX_RANGES)
			return false;
		if (percent) {
			good = parse_share(p, n, &shares[nr_shares]);
			nr_shares++;
		} else {
			good = parse_range(p, n, &ranges[nr_ranges]);
			nr_ranges++;
		}
		if (!good)
			return false;
		p += n;
		p += strspn(p, stops);
	}
	return nr_ranges || nr_shares;
}

int times_parse(const char *text)
{
	given = text;
	if (parse_all(text))
		return 0;
	times_forget();
	say_usage("--time takes seconds as 'from,to', 'from,' or ',to', or parts of the recording as "
		  "'10%%/2', '10%%-20%%', not '%s'", text);
	return -SONDE_USAGE;
}

bool times_replace(const char *text)
{
	static char replaced[1024];
	static const char *used;     /* the ranges of now; NULL: those of --time */
	const char *before = used ? used : given;

	if (text && (strlen(text) >= sizeof(replaced) || !parse_all(text))) {
		if (!before || !parse_all(before))
			times_forget();
		return false;
	}
	used = text ? strcpy(replaced, text) : NULL;
	if (!text && (!given || !parse_all(given)))
		times_forget();
	return true;
}

bool times_are_shares(void)
{
	return nr_shares > 0;
}

/* A share ends where the next one begins; the last share includes the last sample. */
static void place_shares(uint64_t first, uint64_t last)
{
	double all = (double)(last - first);

	for (nr_ranges = 0; nr_ranges < nr_shares; nr_ranges++) {
		struct sonde_time_range *r = &ranges[nr_ranges];

		r->from = first + (uint64_t)llround(shares[nr_ranges].from / 100 * all);
		r->to = first + (uint64_t)llround(shares[nr_ranges].to / 100 * all);
		if (r->to >= last)
			r->to = UINT64_MAX;
		else if (r->to > r->from)
			r->to--;
	}
}

void times_narrow(struct sonde_query *q, uint64_t first, uint64_t last)
{
	if (nr_shares)
		place_shares(first, last);
	if (!nr_ranges)
		return;
	q->time_min = UINT64_MAX;
	q->time_max = 0;
	for (size_t i = 0; i < nr_ranges; i++) {
		q->time_min = ranges[i].from < q->time_min ? ranges[i].from : q->time_min;
		q->time_max = ranges[i].to > q->time_max ? ranges[i].to : q->time_max;
	}
	if (nr_ranges < 2)
		return;
	q->times = ranges;
	q->nr_times = nr_ranges;
}

void times_forget(void)
{
	nr_ranges = nr_shares = 0;
}
