/* SPDX-License-Identifier: MIT */
/*
 * How often events happen over time: the events whose samples are not shown at the moment, and those without samples
 * that samples of another event counted.
 */

const FEW_COUNTERS = 4;

/** The name of an event where there is little room: of a tracepoint without its system. */
function shortEvent(name) {
	return plainEvent(name) === name ? name.replace(/^[\w-]+:/, "") : name;
}

/** An event with samples: their weights. */
class EventCounter {
	/** @param {ProfileEvent} event */
	constructor(event) {
		this.event = event;
		this.name = event.name;
		this.number = event.number;
	}

	get unit() {
		return this.event.unit;
	}

	get isOffCpu() {
		return this.event.isOffCpu;
	}

	/** Weights of the visible span by column, of the threads and CPUs of a selection. */
	values(axis, columns, selection) {
		this.event.follow(selection);
		return this.event.samples.tracks(axis, columns, NO_TRACKS, this.event).all;
	}
}

/** An event without samples: its counts, each since the one before it. */
class ReadCounter {
	/**
	 * @param {string} name
	 * @param {number[]} places of its counts in the lists
	 * @param {{time: ArrayLike<number>, thread: ArrayLike<number>, cpu: ArrayLike<number>,
	 *	value: ArrayLike<number>}} lists of all counts
	 * @param {Sched} sched
	 * @param {Threads} threads
	 */
	constructor(name, places, lists, sched, threads) {
		const own = list => Float64Array.from(places, i => list[i]);
		this.name = name;
		this.number = -1;
		this.unit = "";
		this.isOffCpu = false;
		this.time = own(lists.time);
		this.thread = own(lists.thread);   /* and 1; 0: not known */
		this.cpu = own(lists.cpu);         /* the same */
		this.value = own(lists.value);
		this.sched = sched;
		this.threads = threads;
	}

	values(axis, columns, { task, cpu, idle }) {
		const { time, thread, value } = this, sums = new Float32Array(columns);
		const isChosen = this.threads.chosen(task), tids = new Set();
		for (let t = 0; t < this.threads.recorded; t++)
			if (isChosen(t))
				tids.add(this.threads.scheduledTid(t));
		const wanted = Uint8Array.from({ length: this.sched.tid.length + 1 }, (_, t) =>
			t === 0 ? Number(task === "" && idle) : Number(task === "" || tids.has(this.sched.tid[t - 1])));
		const scale = columns / (axis.to - axis.from);
		for (let i = above(time, Math.ceil(axis.from) - 1); i < time.length && time[i] < axis.to; i++)
			if (wanted[thread[i]] && (cpu < 0 || this.cpu[i] === cpu + 1))
				sums[(time[i] - axis.from) * scale | 0] += value[i];
		return sums;
	}
}

class Counters {
	/** @param {Profile} profile */
	constructor(profile) {
		const { sched, threads, events } = profile;
		/** @type {(EventCounter | ReadCounter)[]} */
		this.list = events.filter(event => event.isTimed && !event.isEmpty)
			.map(event => new EventCounter(event));
		const byName = new Map(), known = new Set(events.map(({ name }) => name));
		for (const [i, name] of sched ? sched.counts.event.entries() : [])
			byName.has(name) ? byName.get(name).push(i) : byName.set(name, [i]);
		for (const [name, places] of byName)
			if (!known.has(name))   /* else it is in the list: its samples are what another event read */
				this.list.push(new ReadCounter(name, places, sched.counts, sched, threads));
	}

	/** Those beside an event, in the order of the recording; hidden: how many more there are. */
	beside(event, many) {
		const others = this.list.filter(({ number }) => number !== event.number);
		const most = many ? MANY_TRACKS : FEW_COUNTERS;
		const shown = others.length > most + 1 ? others.slice(0, most) : others;
		return { shown, hidden: others.length - shown.length };
	}
}

/** A rate in words: two digits, because samples fall into one span or the next. @param {number} value of the span */
function rateText(value, unit, spanNs, isOffCpu = false) {
	const rate = Number((value * 1e9 / spanNs).toPrecision(2));
	if (unit === "ns")
		return rate / 1e9 + (isOffCpu ? " threads" : " CPUs");
	return (rate < 10 ? rate : amount(rate)) + (unit ? " " + unit : "") + "/s";
}
