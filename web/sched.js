/* SPDX-License-Identifier: MIT */
/* What threads and CPUs did over time: states out of context switches, wakeups, tracepoints, counts, frequencies. */

/* enum track_state of src/analyze/tables/track_states.h */
const UNKNOWN = 0, RUNNING = 1, RUNNABLE = 2, SLEEPING = 3, BLOCKED = 4, HAD_RUN = 8;
const STATE_NAMES = ["", "running", "waiting for a CPU", "sleeping", "blocked (uninterruptible)"];
const SHOWN_STATES = [RUNNING, RUNNABLE, BLOCKED];
const SUMMED_STATES = [...SHOWN_STATES, SLEEPING];

/** One state after the other: each lasts until the next one begins, the last one until `end`. */
class StateTrack {
	/**
	 * @param {number[]} time
	 * @param {number[]} state
	 * @param {number[]} value of each: of a thread its CPU, of a CPU the thread; -1: none
	 */
	constructor(time, state, value, end) {
		this.time = Float64Array.from(time);
		this.state = Uint8Array.from(state);
		this.value = Int32Array.from(value);
		this.end = end;
		/* by summed state: how long it was before each change, so that any span is a difference */
		this.before = SUMMED_STATES.map(summed => {
			const sums = new Float64Array(time.length);
			for (let i = 1; i < time.length; i++)
				sums[i] = sums[i - 1] + (state[i - 1] === summed ? time[i] - time[i - 1] : 0);
			return sums;
		});
	}

	/** The place of the state at a time; -1: before the first one. */
	at(time) {
		return above(this.time, time) - 1;
	}

	/** How long a summed state was before a time; adds to nothing. @param {number} place at(time) */
	sum(summed, place, time) {
		if (place < 0)
			return 0;
		return this.before[summed][place] +
			(this.state[place] === SUMMED_STATES[summed] ? Math.min(time, this.end) - this.time[place] : 0);
	}

	/** How long each of the summed states was in a span. @param {{from: number, to: number}} span */
	sums({ from, to }) {
		return SUMMED_STATES.map((_, s) => this.sum(s, this.at(to), to) - this.sum(s, this.at(from), from));
	}

	/**
	 * The shares of the shown states in each column of a span: SHOWN_STATES.length values for each.
	 * @param {{from: number, to: number}} span
	 * @param {number} columns
	 */
	shares(span, columns) {
		const width = (span.to - span.from) / columns, kinds = SHOWN_STATES.length;
		const shares = new Float32Array(columns * kinds), last = [0, 0, 0];
		let place = this.at(span.from);
		for (let s = 0; s < kinds; s++)
			last[s] = this.sum(s, place, span.from);
		for (let x = 0; x < columns; x++) {
			const to = span.from + (x + 1) * width;
			if (place + 1 < this.time.length && this.time[place + 1] <= to)
				place = above(this.time, to, place + 1) - 1;
			for (let s = 0; s < kinds; s++) {
				const sum = this.sum(s, place, to);
				shares[x * kinds + s] = (sum - last[s]) / width;
				last[s] = sum;
			}
		}
		return shares;
	}
}

/* A state track while it is made. */
class StateList {
	constructor() {
		this.time = [];
		this.state = [];
		this.value = [];
	}

	push(time, state, value) {
		this.time.push(time);
		this.state.push(state);
		this.value.push(value);
	}

	/* The same; a state that ends as soon as it began leaves no trace. */
	follow(time, state, value) {
		if (this.time[this.time.length - 1] === time) {
			this.time.pop();
			this.state.pop();
			this.value.pop();
		}
		this.push(time, state, value);
	}

	track(end) {
		return new StateTrack(this.time, this.state, this.value, end);
	}
}

class Sched {
	/**
	 * @param {any} block
	 * @param {{values: (name: string) => Uint32Array | Float64Array}} columns
	 * @param {string[]} strings
	 * @param {number} end
	 */
	constructor(block, columns, strings, end) {
		const values = name => columns.values(name), names = list => Array.from(list, s => strings[s]);
		this.end = end;
		this.givenUp = block.given_up;
		this.some = block.some;   /* others than the threads recorded are not known to run */
		this.nrMarks = block.marks;
		this.tid = values("tid");
		this.comm = names(values("comm"));
		this.threadOfTid = new Map(Array.from(this.tid, (tid, i) => [tid, i]));
		this.changes = { time: summed(values("time")), thread: values("thread"), cpu: values("cpu"),
				 state: values("state") };
		this.wakeups = { time: summed(values("wake_time")), waker: values("waker"), wakee: values("wakee") };
		this.marks = { time: summed(values("mark_time")), thread: values("mark_thread"),
			       cpu: values("mark_cpu"), event: names(values("mark_event")),
			       text: names(values("mark_text")) };
		this.nrCounts = block.counts;
		this.counts = { time: summed(values("count_time")), thread: values("count_thread"),
				cpu: values("count_cpu"), event: names(values("count_event")), value: values("count") };
		this.frequencies = Sched.byCpu(summed(values("khz_time")), values("khz_cpu"), values("khz"));
		this.threads = [];
		this.cpus = new Map();
		this.ranks = null;        /* of threads, see rankOf() */
		this.makeTracks();
	}

	/** By CPU its frequencies over time. @returns {Map<number, {time: number[], khz: number[]}>} */
	static byCpu(time, cpu, khz) {
		const lists = new Map();
		for (let i = 0; i < time.length; i++) {
			if (!lists.has(cpu[i] - 1))
				lists.set(cpu[i] - 1, { time: [], khz: [] });
			const list = lists.get(cpu[i] - 1);
			list.time.push(time[i]);
			list.khz.push(khz[i]);
		}
		return lists;
	}

	get hasStates() {
		return this.changes.time.length > 0;
	}

	/* A thread that leaves a CPU where nobody saw it come had run there since the change before. */
	makeTracks() {
		const { time, thread, cpu, state } = this.changes, byThread = [], byCpu = new Map();
		for (let i = 0; i < time.length; i++) {
			const t = thread[i], c = cpu[i] - 1, s = state[i] & ~HAD_RUN;
			const own = byThread[t] ||= new StateList();
			if (c >= 0 && !byCpu.has(c))
				byCpu.set(c, new StateList());
			const on = byCpu.get(c);
			if (state[i] & HAD_RUN) {
				const from = on.time.length > 0 ? on.time[on.time.length - 1] : 0;
				if (own.time.length === 0 || own.time[own.time.length - 1] <= from)
					own.push(from, RUNNING, c);
				on.push(from, RUNNING, t);
			}
			const elsewhere = s === RUNNING && own.state[own.state.length - 1] === RUNNING ?
				byCpu.get(own.value[own.value.length - 1]) : undefined;
			if (elsewhere && elsewhere !== on && elsewhere.value[elsewhere.value.length - 1] === t)
				elsewhere.push(time[i], SLEEPING, -1);   /* nobody saw it leave the other CPU */
			own.push(time[i], s, c);
			if (c >= 0 && s === RUNNING)
				on.follow(time[i], RUNNING, t);
			else if (c >= 0 && on.value.length > 0 && on.value[on.value.length - 1] === t)
				on.push(time[i], SLEEPING, -1);
		}
		this.threads = byThread.map(list => list.track(this.end));   /* may have holes */
		for (const [c, list] of byCpu)
			this.cpus.set(c, list.track(this.end));
	}

	/** The threads whose states are known, those that ran longest first. */
	busiest() {
		const ran = this.threads.map(track => track.sum(0, track.time.length - 1, this.end));
		return [...ran.keys()].filter(t => this.threads[t]).sort((a, b) => ran[b] - ran[a] || a - b);
	}

	/** The task that a CPU ran last before a time; -1: none. @param {StateTrack} track */
	lastTask(track, time) {
		let place = track.at(time - 1e-9);
		if (place > 0 && track.state[place] !== RUNNING)
			place--;
		return place >= 0 && track.state[place] === RUNNING ? track.value[place] : -1;
	}

	/** The place of a thread among those that ran longest. */
	rankOf(thread) {
		this.ranks ||= new Map(this.busiest().map((t, rank) => [t, rank]));
		return this.ranks.get(thread) ?? Infinity;
	}

	name(thread) {
		return this.comm[thread] + " " + this.tid[thread];
	}

	/** Who woke a thread at a time, in words; "": not known. */
	wakerAt(thread, at) {
		const { time, waker, wakee } = this.wakeups;
		for (let i = above(time, at) - 1; i >= 0 && time[i] >= at; i--)
			if (wakee[i] === thread)
				return this.wakerName(waker[i]);
		return "";
	}

	wakerName(waker) {
		return waker > 0 ? this.name(waker - 1) : "an idle CPU";
	}

	/** By whom a thread was woken in a span, the most often first. @returns {[name: string, times: number][]} */
	wakers(thread, { from, to }) {
		const { time, waker, wakee } = this.wakeups, counts = new Map();
		for (let i = above(time, from - 1); i < time.length && time[i] <= to; i++)
			if (wakee[i] === thread)
				counts.set(waker[i], (counts.get(waker[i]) || 0) + 1);
		return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])
			.map(([waker, times]) => [this.wakerName(waker), times]);
	}

	/**
	 * What a thread does at a time, in words; "": not known.
	 * @param {(steps: number) => string} text of a duration
	 */
	threadText(thread, at, text) {
		const track = this.threads[thread], place = track ? track.at(at) : -1;
		const state = place < 0 ? UNKNOWN : track.state[place];
		if (state === UNKNOWN)
			return "";
		const from = track.time[place], to = place + 1 < track.time.length ? track.time[place + 1] : this.end;
		const woken = state === RUNNING ? "" : this.wakerAt(thread, state === RUNNABLE ? from : to);
		const cpu = state === RUNNING && track.value[place] >= 0 ? " on CPU " + track.value[place] : "";
		return STATE_NAMES[state] + cpu + " for " + text(to - from) +
			(woken === "" ? "" : (state === RUNNABLE ? ", woken by " : ", then woken by ") + woken);
	}

	/** The same of a CPU. */
	cpuText(cpu, at, text) {
		const track = this.cpus.get(cpu), place = track ? track.at(at) : -1, list = this.frequencies.get(cpu);
		const parts = [], changed = list ? above(list.time, at) - 1 : -1;
		if (place >= 0) {
			const to = place + 1 < track.time.length ? track.time[place + 1] : this.end;
			parts.push((track.state[place] === RUNNING ? this.name(track.value[place]) :
				this.some ? "idle or in a thread that was not recorded" : "idle") + " for " +
				text(to - track.time[place]));
		}
		if (changed >= 0)
			parts.push((list.khz[changed] / 1e6).toPrecision(3) + " GHz");
		return parts.join(", ");
	}

	/** The tracepoints of a thread or CPU near a time, nearest first. @param {(i: number) => boolean} wanted */
	marksNear(at, margin, wanted) {
		const { time } = this.marks, near = [], end = above(time, at + margin);
		for (let i = above(time, at - margin); i < end && near.length < 1000; i++)
			if (wanted(i))
				near.push(i);
		return near.sort((a, b) => Math.abs(time[a] - at) - Math.abs(time[b] - at)).slice(0, 3);
	}
}
