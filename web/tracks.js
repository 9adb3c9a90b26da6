/* SPDX-License-Identifier: MIT */
/* The rows of the time axis: the heaviest threads or the CPUs, and one row for all others. */

const FEW_TRACKS = 5;
const MANY_TRACKS = 40;

/**
 * @typedef {object} Track
 * @property {string} name
 * @property {string} key how the state names it; "" if it cannot be chosen
 * @property {number} id of the thread or CPU
 * @property {number} weight
 * @property {boolean} [isRest] the row of all others
 */

class Tracks {
	/**
	 * @param {Track[]} rows
	 * @param {Uint16Array | null} rowOfCell
	 * @param {Uint16Array | null} rowOfCpu by CPU + 1
	 */
	constructor(rows, rowOfCell, rowOfCpu, hidden) {
		this.rows = rows;
		this.rowOfCell = rowOfCell;
		this.rowOfCpu = rowOfCpu;
		this.hidden = hidden;   /* rows that are in "others" */
	}

	/** @param {[Track, number][]} items with the number of the thread or CPU + 1; heaviest first */
	static choose(items, most, noun) {
		const shown = items.length > most + 1 ? items.slice(0, most) : items;
		const rows = shown.map(([track]) => track), hidden = items.length - shown.length;
		if (hidden > 0)
			rows.push({ name: plural(hidden, "other " + noun), key: "", id: -1, isRest: true,
				    weight: items.slice(most).reduce((sum, [track]) => sum + track.weight, 0) });
		return { rows, hidden, rowOf: new Map(shown.map(([, number], row) => [number, row])) };
	}

	/**
	 * Threads with samples, then those that only ran.
	 * @param {ProfileEvent} event
	 * @param {Sched | null} sched
	 */
	static ofThreads(event, most, sched) {
		const { threads, task } = event, weights = event.threadWeights(), order = heaviestFirst(weights);
		const known = new Set(order.map(t => threads.scheduledTid(t)));
		/** @type {[Track, number][]} */
		const items = order.map(t => [{ name: threads.name(t), key: threads.key(t), id: threads.scheduledTid(t),
						weight: weights[t] }, t]);
		for (const t of sched ? sched.busiest() : [])
			if (!known.has(sched.tid[t]))
				items.push([{ name: sched.name(t), key: "", id: sched.tid[t], weight: 0 }, -1]);
		const { rows, hidden, rowOf } = Tracks.choose(items, most, "thread");
		const rowOfCell = Uint16Array.from(task, t => rowOf.get(threads.ofTask[t]) ?? rows.length - 1);
		return new Tracks(rows, rowOfCell, null, hidden);
	}

	/**
	 * CPUs with samples, and those on which threads only ran.
	 * @param {ProfileEvent} event
	 * @param {Sched | null} sched
	 */
	static ofCpus(event, most, sched) {
		/** @type {[number, number][]} */
		const cpus = [...event.cpus()], known = new Set(cpus.map(([cpu]) => cpu));
		for (const cpu of sched ? sched.cpus.keys() : [])
			if (!known.has(cpu))
				cpus.push([cpu, 0]);
		cpus.sort((a, b) => a[0] - b[0]);
		const by = cpus.length > most + 1 ? (a, b) => b[1] - a[1] || a[0] - b[0] : () => 0;
		const name = cpu => cpu < 0 ? "CPU not known" : "CPU " + cpu;
		const { rows, hidden, rowOf } = Tracks.choose([...cpus].sort(by).map(([cpu, weight]) =>
			[{ name: name(cpu), key: String(cpu), id: cpu, weight }, cpu + 1]), most, "CPU");
		const last = cpus.reduce((most, [cpu]) => Math.max(most, cpu), 0);
		return new Tracks(rows, null, Uint16Array.from({ length: last + 2 },
			(_, cpu) => rowOf.get(cpu) ?? rows.length - 1), hidden);
	}
}

const NO_TRACKS = new Tracks([], null, null, 0);
