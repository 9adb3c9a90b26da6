/* SPDX-License-Identifier: MIT */
/* Threads of the profile. A task is a thread under one name: a thread that changed its name is several tasks. */

const MOST_THREADS_NAMED = 500;

/** The places of all weights above 0. @param {Float64Array} weights @returns {number[]} */
function heaviestFirst(weights) {
	return [...weights.keys()].filter(i => weights[i] > 0).sort((a, b) => weights[b] - weights[a] || a - b);
}

class Threads {
	constructor(columns, strings) {
		const pid = columns.values("pid"), tid = columns.values("tid"), comm = columns.values("comm");
		const machine = columns.values("machine");
		/** @type {Map<number, number>[]} */
		const known = [];
		this.ofTask = new Uint32Array(pid.length);
		this.machine = [];   /* 0: that of the first recording */
		this.pid = [];
		this.tid = [];
		this.comm = [];
		for (let t = 0; t < pid.length; t++) {
			const key = pid[t] * 2 ** 32 + tid[t];
			const here = known[machine[t]] ||= new Map();
			let thread = here.get(key);
			if (thread === undefined) {
				thread = this.pid.push(pid[t] | 0) - 1;
				this.tid.push(tid[t] | 0);
				this.machine.push(machine[t]);
				here.set(key, thread);
			}
			this.comm[thread] = strings[comm[t]];   /* the last name */
			this.ofTask[t] = thread;
		}
		this.n = this.recorded = this.pid.length;
	}

	/**
	 * Adds the tasks of a baseline, a thread for each name: numbers of threads are others there. Returns the first
	 * of these tasks.
	 * @param {string[]} names by task
	 */
	addNames(names) {
		const first = this.ofTask.length, known = new Map();
		for (const name of names.filter(name => !known.has(name) && known.set(name, 0))) {
			known.set(name, this.comm.push(name) - 1);
			this.pid.push(NaN);
			this.tid.push(NaN);
			this.machine.push(NaN);
		}
		this.ofTask = Uint32Array.from([...this.ofTask, ...names.map(name => known.get(name))]);
		this.n = this.pid.length;
		return first;
	}

	name(thread) {
		return this.comm[thread] + " " + this.tid[thread];
	}

	/** How an address names it. */
	key(thread) {
		return this.pid[thread] + "/" + this.tid[thread] + this.place(thread);
	}

	/* What follows ids of other machines than that of the first recording. */
	place(thread) {
		return this.machine[thread] > 0 ? "@" + this.machine[thread] : "";
	}

	/** The tid on the machine whose scheduling the page has; NaN: on another one. */
	scheduledTid(thread) {
		return this.machine[thread] === 0 ? this.tid[thread] : NaN;
	}

	/**
	 * Whether a choice names the thread: "" all, "12" a process, "12/13" a thread, of another machine
	 * "12@1" or "12/13@1". Of a baseline it names the threads with the same names, or with those that commands
	 * have there.
	 * @param {string} choice
	 * @param {Map<string, string>} commands by name that of the baseline, where it is another one
	 */
	chosen(choice, commands = new Map()) {
		const [ids, machine] = choice.split("@"), [pid, tid] = ids.split("/").map(Number);
		const isNamed = thread => this.pid[thread] === pid && this.machine[thread] === Number(machine || 0) &&
			(tid === undefined || this.tid[thread] === tid);
		const own = this.comm.filter((_, thread) => isNamed(thread));
		const names = new Set(own.flatMap(name => [name, commands.get(name) ?? name]));
		return thread => choice === "" ||
			(thread < this.recorded ? isNamed(thread) : names.has(this.comm[thread]));
	}

	/**
	 * The choices for some weights by thread: processes, heaviest first, with their threads.
	 * @param {Float64Array} weights
	 */
	choices(weights) {
		const order = heaviestFirst(weights), processes = new Map();
		for (const t of order.slice(0, MOST_THREADS_NAMED)) {
			const pid = this.pid[t], key = pid + this.place(t);
			const process = processes.get(key) || { pid, key, threads: [], weight: 0, name: "" };
			processes.set(key, process);
			process.threads.push({ key: this.key(t), name: this.name(t), weight: weights[t] });
			process.weight += weights[t];
			if (process.name === "" || this.tid[t] === pid)
				process.name = this.comm[t];
		}
		return {
			processes: [...processes.values()].sort((a, b) => b.weight - a.weight || a.pid - b.pid),
			others: Math.max(0, order.length - MOST_THREADS_NAMED),
		};
	}
}
