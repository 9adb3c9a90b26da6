/* SPDX-License-Identifier: MIT */
/* What Sched tells, on the rows of the time axis: states, tracepoints, wakeups, frequencies. */

const STATES = 8;            /* pixels of a row that show states */
const TASKS = 15;            /* the same of a CPU: they have the names of its tasks */
const TASK_FONT = "11px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
const LEAST_NAME = 24;       /* pixels of a task that has its name there */
const ARROW = 6;             /* wakeups are drawn if each has so many pixels on the average */

class SchedPaint {
	/**
	 * @param {Sched} sched
	 * @param {string} mode threads or cpus
	 * @param {Track[]} rows
	 */
	constructor(sched, mode, rows) {
		this.sched = sched;
		this.isCpus = mode === "cpus";
		this.rows = rows;
		/* by row: the number of its thread or CPU; undefined: it has none here */
		this.numberOf = rows.map(({ id, isRest }) =>
			isRest ? undefined : this.isCpus ? id : sched.threadOfTid.get(id));
		this.rowOf = new Map(this.numberOf.map((number, row) => [number, row]));
		this.rowOf.delete(undefined);
	}

	/** The states of a row, or null. @returns {StateTrack | null} */
	track(row) {
		const number = this.numberOf[row];
		return (this.isCpus ? this.sched.cpus.get(number) : this.sched.threads[number]) || null;
	}

	/** What happens in a row at a time. */
	text(row, at, margin, duration) {
		const { sched, isCpus } = this, number = this.numberOf[row];
		if (number === undefined)
			return [];
		const { cpu, thread, event, text } = sched.marks;
		const near = sched.marksNear(at, margin, i => (isCpus ? cpu[i] : thread[i]) - 1 === number);
		return [isCpus ? sched.cpuText(number, at, duration) : sched.threadText(number, at, duration),
			...near.map(i => event[i] + ": " + text[i])];
	}

	/** @param {Timeline} timeline @param {(row: number) => number} top of a row */
	paint(timeline, top) {
		if (this.isCpus)
			this.rows.forEach((_, row) => this.paintTasks(timeline, row, top(row) + TRACK - 2));
		this.paintMarks(timeline, top);
		if (this.isCpus)
			this.paintFrequencies(timeline, top);
		else
			this.paintWakeups(timeline, top);
	}

	paintMarks({ context, axis, palette }, top) {
		const { time, thread, cpu } = this.sched.marks, last = new Float64Array(this.rows.length).fill(-1);
		context.fillStyle = palette.select;
		for (let i = above(time, axis.from - 1); i < time.length && time[i] <= axis.to; i++) {
			const row = this.rowOf.get((this.isCpus ? cpu[i] : thread[i]) - 1);
			const x = Math.round(axis.x(time[i]));
			if (row === undefined || last[row] === x)
				continue;
			last[row] = x;
			context.fillRect(x, top(row), 1, 5);
		}
	}

	/* Arrows from the thread that wakes to the one that is woken. */
	paintWakeups({ context, axis, palette }, top) {
		const { time, waker, wakee } = this.sched.wakeups, first = above(time, axis.from - 1), arrows = [];
		const most = axis.width / ARROW;
		for (let i = first; i < time.length && time[i] <= axis.to && arrows.length <= most; i++) {
			const from = this.rowOf.get(waker[i] - 1), to = this.rowOf.get(wakee[i]);
			if (from !== undefined && to !== undefined && from !== to)
				arrows.push([axis.x(time[i]), top(from) + TRACK - 2, top(to) + TRACK - 2]);
		}
		if (arrows.length > most)
			return;
		context.fillStyle = context.strokeStyle = palette.muted;
		context.lineWidth = 1;
		context.beginPath();
		for (const [x, from, to] of arrows) {
			const back = to > from ? -4 : 4;
			context.moveTo(x, from);
			context.lineTo(x, to);
			context.lineTo(x - 2.5, to + back);
			context.moveTo(x, to);
			context.lineTo(x + 2.5, to + back);
		}
		context.stroke();
	}

	/*
	 * Which task a CPU ran. The part of a column that is filled is that of the time in which the CPU ran one; its
	 * colour is that of the last one.
	 */
	paintTasks({ context, axis, palette }, row, top) {
		const { sched } = this, track = this.track(row), height = TASKS - 2;
		if (!track)
			return;
		const columns = Math.floor(axis.width), shares = track.shares(axis, columns);
		const runs = [];   /* { from, to, task } */
		for (let x = 0; x < columns; x++) {
			const share = shares[x * SHOWN_STATES.length];
			const task = share > 0 ? sched.lastTask(track, axis.time(x + 1)) : -1;
			const last = runs[runs.length - 1];
			if (last && last.task === task)
				last.to = x + 1;
			else
				runs.push({ from: x, to: x + 1, task });
			if (task < 0)
				continue;
			const filled = Math.max(1, Math.round(share * height));
			context.fillStyle = palette.taskFill(sched.rankOf(task));
			context.fillRect(x, top + height - filled, 1, filled);
		}
		context.font = TASK_FONT;
		context.textBaseline = "middle";
		context.fillStyle = palette.ink;
		for (const { from, to, task } of runs) {
			if (task < 0 || to - from < LEAST_NAME)
				continue;
			const name = sched.comm[task], room = Math.floor((to - from - 6) / 6.2);
			context.fillText(name.length > room ? name.slice(0, room - 1) + "…" : name, from + 3,
				top + height / 2 + 0.5, to - from - 4);
		}
	}

	paintFrequencies({ context, axis, palette }, top) {
		let most = 1;
		for (const { khz } of this.sched.frequencies.values())
			most = khz.reduce((a, b) => Math.max(a, b), most);
		context.strokeStyle = palette.ink;
		context.lineWidth = 1;
		for (const [cpu, { time, khz }] of this.sched.frequencies) {
			const row = this.rowOf.get(cpu);
			if (row === undefined)
				continue;
			context.beginPath();
			for (let x = 0; x < axis.width; x++) {
				const at = above(time, axis.time(x)) - 1;
				if (at >= 0)
					context.lineTo(x, top(row) + (TRACK - 4) * (1 - khz[at] / most) + 0.5);
			}
			context.stroke();
		}
	}
}
