/* SPDX-License-Identifier: MIT */
#include "export/page/served.h"

#include <endian.h>

#include "base/hash.h"
#include "base/u64map.h"
#include "export/page/columns.h"

enum {
	MOST_ORDERED = 500000,        /* samples in order of time: many more than can be drawn */
	NOT_WANTED = UINT8_MAX,       /* a cell of another event */
	IS_CHOSEN = 0x80,             /* beside the row of a cell */
};

static const struct sonde_profile_sample *samples_of(const struct served *s)
{
	return s->profile->timed.list.at;
}

/* One more than the number of the CPU; 0: not known. */
static uint32_t cpu_of(const struct sonde_profile_sample *sample)
{
	return sample->cpu < HTML_MOST_CPUS ? sample->cpu + 1 : 0;
}

/* ---- the profile ---- */

/* Sums the samples of each event and CPU; their `cell` is the event for now. */
static int sum_by_cpu(struct served *s, struct u64map *known)
{
	const struct sonde_profile *p = s->profile;

	for (size_t i = 0; i < s->nr_timed; i++) {
		const struct sonde_profile_sample *sample = &samples_of(s)[i];
		uint32_t event = p->cells.at[sample->cell].event, cpu = cpu_of(sample), at;

		if (s->content.page.cell_of[sample->cell] == UINT32_MAX)
			continue;
		at = u64map_get(known, (uint64_t)event << 32 | cpu);
		if (at == U64MAP_NONE) {
			at = (uint32_t)s->cpus.n;
			if (vec_push(&s->cpus, ((struct html_sample){ .cell = event, .cpu = cpu - 1 })) < 0 ||
			    u64map_set(known, (uint64_t)event << 32 | cpu, at) < 0)
				return -SONDE_NOMEM;
		}
		s->cpus.at[at].weight += sample->period;
		s->cpus.at[at].count++;
	}
	return 0;
}

static int by_event(const void *va, const void *vb)
{
	const struct html_sample *a = va, *b = vb;

	if (a->cell != b->cell)
		return a->cell < b->cell ? -1 : 1;
	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

/* Gives the events their sums by CPU. */
static void place_sums(struct served *s)
{
	struct html_sample *next = s->cpus.at, *end = next + s->cpus.n;

	if (s->cpus.n)
		qsort(s->cpus.at, s->cpus.n, sizeof(*s->cpus.at), by_event);
	for (size_t i = 0; i < s->content.page.events.n; i++) {
		struct html_event *event = &s->content.page.events.at[i];

		while (next < end && next->cell < s->content.page.event_numbers.at[i])
			next++;
		event->samples = next;
		for (; next < end && next->cell == s->content.page.event_numbers.at[i]; next++) {
			event->nr_served += next->count;
			event->nr_samples++;
			next->time = s->start_ns;
			next->cell = 0;
		}
	}
}

int served_gather(struct served *s, const struct export *x)
{
	const struct sonde_profile *p = x->profile;
	struct u64map known = { 0 };
	struct html_profile before, shown;
	int ret;

	*s = (struct served){ .profile = p, .step_ns = 1 };
	ret = content_gather(&s->content, x, false);
	for (s->nr_timed = p->timed.list.n; s->nr_timed && samples_of(s)[s->nr_timed - 1].time == SONDE_NONE;)
		s->nr_timed--;
	if (s->nr_timed) {
		s->content.page.timed.first_ns = samples_of(s)[0].time;
		s->content.page.timed.last_ns = samples_of(s)[s->nr_timed - 1].time;
		shown = content_view(&s->content, &before);
		s->start_ns = shown.first_ns;
		s->step_ns = html_time_step(shown.first_ns, shown.last_ns);
	}
	if (ret == 0)
		ret = sum_by_cpu(s, &known);
	if (ret == 0)
		place_sums(s);
	u64map_free(&known);
	return ret;
}

void served_free(struct served *s)
{
	content_free(&s->content);
	vec_free(&s->cpus);
	free(s->sums.weights);
	free(s->sums.counts);
}

static void put_u32(struct buf *b, uint32_t v)
{
	v = htole32(v);
	buf_put(b, &v, sizeof(v));
}

static void put_f64(struct buf *b, uint64_t v)
{
	double d = (double)v;

	memcpy(&v, &d, sizeof(v));
	v = htole64(v);
	buf_put(b, &v, sizeof(v));
}

static int answer_profile(struct served *s, struct buf *out)
{
	struct html_profile before, shown = content_view(&s->content, &before);
	struct columns columns = { .bytes = BUF_MEMORY };
	struct buf json = BUF_MEMORY;
	int ret;

	ret = html_write_block(&json, &columns, &shown);
	if (ret == 0 && json.n > UINT32_MAX)
		ret = -SONDE_NOMEM;
	if (ret == 0) {
		put_u32(out, (uint32_t)json.n);
		buf_put(out, json.p, json.n);
		buf_put(out, columns.bytes.p, columns.bytes.n);
	}
	columns_free(&columns);
	buf_free(&json);
	return ret;
}

/* ---- samples of a question ---- */

/* The first sample at or after a time. */
static size_t lower(const struct served *s, double step)
{
	double most = (double)(UINT64_MAX / 2 - s->start_ns / 2);
	double ns = step * (double)s->step_ns;
	uint64_t time = s->start_ns + (uint64_t)(ns < most ? ns : most);
	size_t low = 0, high = s->nr_timed;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (samples_of(s)[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_task(const struct question_task *wanted, const struct html_task *task)
{
	return task->pid == wanted->pid && task->machine == wanted->machine &&
	       (!wanted->has_tid || task->tid == wanted->tid);
}

static uint64_t key_of_thread(int32_t pid, int32_t tid, uint32_t machine)
{
	return hash_two((uint64_t)(uint32_t)pid << 32 | (uint32_t)tid, machine);
}

/* By task: whether it is chosen, and its row. */
static uint8_t *look_at_tasks(const struct served *s, const struct question *q)
{
	size_t n = s->profile->who.n;
	uint8_t *looks = malloc(n + 1);
	struct u64map rows = { 0 };
	int failed = 0;

	for (uint32_t i = 0; i < q->nr_rows && q->rows_of == QUESTION_THREADS && !failed; i++)
		if (q->threads[i].has_tid)
			failed = u64map_set(&rows, key_of_thread(q->threads[i].pid, q->threads[i].tid,
								 q->threads[i].machine), i);
	for (size_t i = 0; i < n && looks && !failed; i++) {
		const struct html_task *task = &s->content.page.task_rows.at[i];
		uint32_t row = u64map_get(&rows, key_of_thread(task->pid, task->tid, task->machine));
		bool chosen = (!q->task.has_pid || is_task(&q->task, task)) && !(q->hides_idle && task->pid == 0);

		row = row != U64MAP_NONE ? row : q->nr_rows ? q->nr_rows - 1 : 0;
		looks[i] = (uint8_t)(row | (chosen ? IS_CHOSEN : 0));
	}
	u64map_free(&rows);
	if (failed) {
		free(looks);
		return NULL;
	}
	return looks;
}

/* By cell of the profile: that of its task; NOT_WANTED: another event. NULL when out of memory. */
static uint8_t *look_at_cells(const struct served *s, const struct question *q)
{
	const struct sonde_profile *p = s->profile;
	uint32_t event = s->content.page.event_numbers.at[q->event];
	uint8_t *tasks = look_at_tasks(s, q), *looks = malloc(p->cells.n + 1);

	for (size_t i = 0; i < p->cells.n && tasks && looks; i++)
		looks[i] = p->cells.at[i].event == event && s->content.page.cell_of[i] != UINT32_MAX ?
				   tasks[p->cells.at[i].task] : NOT_WANTED;
	if (!tasks) {
		free(looks);
		looks = NULL;
	}
	free(tasks);
	return looks;
}

/* ---- sums ---- */

static void move_sums(struct served *s, size_t first, size_t end, uint64_t sign)
{
	const struct sonde_profile *p = s->profile;
	struct served_sums *sums = &s->sums;
	uint32_t event = s->content.page.event_numbers.at[sums->event], cpu = (uint32_t)sums->cpu + 1;

	for (size_t i = first; i < end; i++) {
		const struct sonde_profile_sample *sample = &samples_of(s)[i];
		uint32_t cell = s->content.page.cell_of[sample->cell];

		if (cell == UINT32_MAX || p->cells.at[sample->cell].event != event || (cpu && cpu_of(sample) != cpu))
			continue;
		sums->weights[cell] += sign * sample->period;
		sums->counts[cell] += sign;
	}
}

/* Begins with no samples; 0 or -SONDE_NOMEM. */
static int begin_sums(struct served *s, const struct question *q, size_t at)
{
	struct served_sums *sums = &s->sums;
	size_t n = s->content.page.events.at[q->event].nr_cells + 1;

	free(sums->weights);
	free(sums->counts);
	*sums = (struct served_sums){ .event = q->event, .cpu = q->cpu, .first = at, .end = at };
	sums->weights = calloc(n, sizeof(*sums->weights));
	sums->counts = calloc(n, sizeof(*sums->counts));
	sums->known = sums->weights && sums->counts;
	return sums->known ? 0 : -SONDE_NOMEM;
}

static size_t distance(size_t a, size_t b)
{
	return a < b ? b - a : a - b;
}

/* A range that has moved a little takes only the samples at its edges. */
static int find_sums(struct served *s, const struct question *q, size_t first, size_t end)
{
	struct served_sums *sums = &s->sums;
	bool is_near = sums->known && sums->event == q->event && sums->cpu == q->cpu &&
		       distance(first, sums->first) + distance(end, sums->end) < end - first;

	if (!is_near && begin_sums(s, q, first) < 0)
		return -SONDE_NOMEM;
	if (first < sums->first)
		move_sums(s, first, sums->first, 1);
	else
		move_sums(s, sums->first, first, UINT64_MAX);
	if (end > sums->end)
		move_sums(s, sums->end, end, 1);
	else
		move_sums(s, end, sums->end, UINT64_MAX);
	sums->first = first;
	sums->end = end;
	return 0;
}

static int answer_sums(struct served *s, const struct question *q, size_t first, size_t end, struct buf *out)
{
	size_t n = s->content.page.events.at[q->event].nr_cells;
	const struct served_sums *sums = &s->sums;
	uint32_t used = 0;

	if (find_sums(s, q, first, end) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < n; i++)
		used += sums->counts[i] > 0;
	put_u32(out, used);
	put_u32(out, 0);
	for (size_t i = 0; i < n; i++)
		if (sums->counts[i])
			put_f64(out, sums->weights[i]);
	for (size_t i = 0; i < n; i++)
		if (sums->counts[i])
			put_f64(out, sums->counts[i]);
	for (uint32_t i = 0; i < n; i++)
		if (sums->counts[i])
			put_u32(out, i);
	return 0;
}

/* ---- tracks ---- */

/* By cpu_of(): its row. */
static void find_cpu_rows(const struct question *q, uint8_t *rows)
{
	memset(rows, (int)(q->nr_rows ? q->nr_rows - 1 : 0), HTML_MOST_CPUS + 1);
	for (uint32_t i = 0; i < q->nr_rows; i++)
		if (q->cpus[i] >= -1 && q->cpus[i] < HTML_MOST_CPUS)
			rows[q->cpus[i] + 1] = (uint8_t)i;
}

struct time_grid {
	float *at, *chosen;               /* chosen: the row after those of the question */
	const uint8_t *looks, *cpu_rows;  /* cpu_rows: NULL if rows are not CPUs */
};

static void add_to_grid(const struct served *s, const struct question *q, size_t first, size_t end, struct time_grid *g)
{
	double from = (double)s->start_ns + q->from * (double)s->step_ns;
	double scale = (double)q->columns / ((q->to - q->from) * (double)s->step_ns);
	uint64_t base = first < end ? samples_of(s)[first].time : 0;
	double ahead = (double)(base - s->start_ns) + ((double)s->start_ns - from);
	uint32_t cpu = (uint32_t)q->cpu + 1;

	for (size_t i = first; i < end; i++) {
		const struct sonde_profile_sample *sample = &samples_of(s)[i];
		uint8_t look = g->looks[sample->cell];
		double place = ((double)(sample->time - base) + ahead) * scale;
		uint32_t column = place > 0 ? (uint32_t)place : 0;
		float weight = q->counts_samples ? 1 : (float)sample->period;

		if (look == NOT_WANTED)
			continue;
		column = column < q->columns ? column : q->columns - 1;
		if (q->nr_rows) {
			uint32_t row = g->cpu_rows ? g->cpu_rows[cpu_of(sample)] : look & ~IS_CHOSEN;

			g->at[row * q->columns + column] += weight;
		}
		if (look & IS_CHOSEN && (!cpu || cpu_of(sample) == cpu))
			g->chosen[column] += weight;
	}
}

static int answer_tracks(const struct served *s, const struct question *q, size_t first, size_t end, struct buf *out)
{
	size_t n = (size_t)q->columns * (q->nr_rows + 1);
	uint8_t *cpu_rows = q->rows_of == QUESTION_CPUS ? malloc(HTML_MOST_CPUS + 1) : NULL;
	uint8_t *looks = look_at_cells(s, q);
	struct time_grid g = { .at = calloc(n, sizeof(*g.at)), .looks = looks, .cpu_rows = cpu_rows };
	int ret = g.at && looks && (cpu_rows || q->rows_of != QUESTION_CPUS) ? 0 : -SONDE_NOMEM;

	if (ret == 0) {
		g.chosen = g.at + (size_t)q->columns * q->nr_rows;
		if (cpu_rows)
			find_cpu_rows(q, cpu_rows);
		add_to_grid(s, q, first, end, &g);
		for (size_t i = 0; i < n; i++) {
			uint32_t bits;

			memcpy(&bits, &g.at[i], sizeof(bits));
			put_u32(out, bits);
		}
	}
	free(g.at);
	free(looks);
	free(cpu_rows);
	return ret;
}

/* ---- samples in order of time ---- */

struct run {
	uint64_t weight, count;
	uint32_t cell;
};

static int answer_samples(const struct served *s, const struct question *q, size_t first, size_t end, struct buf *out)
{
	uint8_t *looks = look_at_cells(s, q);
	uint32_t cpu = (uint32_t)q->cpu + 1;
	VEC(struct run) runs = { 0 };
	int ret = looks ? 0 : -SONDE_NOMEM;

	for (size_t i = first; i < end && ret == 0 && runs.n <= MOST_ORDERED; i++) {
		const struct sonde_profile_sample *sample = &samples_of(s)[i];
		uint8_t look = looks[sample->cell];
		uint32_t cell = s->content.page.cell_of[sample->cell];

		if (look == NOT_WANTED || !(look & IS_CHOSEN) || (cpu && cpu_of(sample) != cpu))
			continue;
		if (!runs.n || runs.at[runs.n - 1].cell != cell)
			ret = vec_push(&runs, ((struct run){ .cell = cell }));
		if (ret == 0) {
			runs.at[runs.n - 1].weight += sample->period;
			runs.at[runs.n - 1].count++;
		}
	}
	if (ret == 0) {
		size_t n = runs.n < MOST_ORDERED ? runs.n : MOST_ORDERED;

		put_u32(out, (uint32_t)n);
		put_u32(out, runs.n > n);
		for (size_t i = 0; i < n; i++)
			put_f64(out, runs.at[i].weight);
		for (size_t i = 0; i < n; i++)
			put_f64(out, runs.at[i].count);
		for (size_t i = 0; i < n; i++)
			put_u32(out, runs.at[i].cell);
	}
	vec_free(&runs);
	free(looks);
	return ret;
}

int served_answer(struct served *s, const char *question, struct buf *out)
{
	struct question q;
	size_t first = 0, end = s->nr_timed;
	int ret = question_parse(&q, question);

	if (ret < 0)
		return ret;
	if (q.kind == QUESTION_PROFILE) {
		ret = answer_profile(s, out);
	} else if (q.event >= s->content.page.events.n) {
		ret = -SONDE_USAGE;
	} else {
		if (q.has_range) {
			first = lower(s, q.from);
			end = lower(s, q.to);
		}
		ret = q.kind == QUESTION_SUMS ? answer_sums(s, &q, first, end, out) :
		      q.kind == QUESTION_TRACKS ? answer_tracks(s, &q, first, end, out) :
						  answer_samples(s, &q, first, end, out);
	}
	return ret < 0 ? ret : out->failed;
}
