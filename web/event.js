/* SPDX-License-Identifier: MIT */
/* An event: its cells and samples, the sums of a selection, and the shapes that show them. */

/**
 * @typedef {object} SampleChoice
 * @property {{from: number, to: number} | null} range
 * @property {number} cpu -1: all
 * @property {string} task see Threads.chosen()
 * @property {boolean} idle false: without idle tasks
 */

const MOST_ROOTS = 1000;   /* threads with a block of their own */

class ProfileEvent {
	constructor(block, columns, frames, threads) {
		this.name = visible(block.name);
		this.unit = block.unit;
		this.notes = block.notes.map(visible);
		this.mergedNs = block.merged_ns;
		this.columns = columns;
		this.frames = frames;
		this.threads = threads;
		this.isEmpty = columns.length("node") === 0;
		this.isTimed = columns.length("time") > 0;
		this.loaded = false;
		/** @type {SampleChoice | null} */
		this.selection = null;
		/** @type {[number, number][] | null} */
		this.cpuList = null;
		this.sums = null;
		this.shapes = new Map();
	}

	/* Columns are decoded when the event is first shown, because a file may have many events. */
	load() {
		if (this.loaded)
			return;
		this.loaded = true;
		const values = name => this.columns.values(name);
		this.task = values("task");
		this.allWeights = Float64Array.from(values("weight"));
		this.allSamples = Float64Array.from(values("samples"));
		this.isWeighted = this.allWeights.some(w => w > 0);
		if (!this.isWeighted) {  /* samples have no weight of their own: each counts 1 */
			this.allWeights = this.allSamples;
			this.unit = "samples";
		}
		this.samples = new Samples(this.columns, this.isWeighted);
		const up = values("up"), frame = values("frame"), n = up.length;
		const parents = new Int32Array(n + 1), frames = new Int32Array(n + 1);
		parents[0] = frames[0] = -1;
		for (let i = 0; i < n; i++) {
			parents[i + 1] = up[i] ? i + 1 - up[i] : 0;
			frames[i + 1] = frame[i];
		}
		this.base = new Shape(new Tree(parents, frames), Int32Array.from(values("node"), node => node + 1));
		this.findIdle();
		this.select({ range: null, cpu: -1, task: "", idle: true });
		this.base.weigh(this.weights, this.counts);
		this.whole = this.weight;
		this.wholeCount = this.count;
		this.stats = this.base.tree.functions(this.frames.n);
	}

	/* One byte for each cell: 1 of an idle task. */
	findIdle() {
		const { tree, nodeOf } = this.base, idle = new Uint8Array(tree.n);
		for (let i = 1; i < tree.n; i++)
			idle[i] = tree.parent[i] === 0 ? Number(this.frames.kindName(tree.frame[i]) === "idle") :
				idle[tree.parent[i]];
		this.idleCells = Uint8Array.from(nodeOf, node => idle[node]);
		this.hasIdle = this.idleCells.some((one, c) => one === 1 && this.allWeights[c] > 0);
	}

	/**
	 * Sums the cells of a selection.
	 * @param {SampleChoice} selection
	 */
	select(selection) {
		const { range, cpu, task, idle } = selection, n = this.task.length, before = this.selection;
		this.selection = selection;
		if (!before || before.task !== task || before.idle !== idle)
			this.choose(task, idle);
		if (range || cpu >= 0)
			this.sumRange(range, cpu);
		else
			this.sums = null;
		const weights = this.sums ? this.sums.weights : this.allWeights;
		const counts = this.sums ? this.sums.counts : this.allSamples;
		const { wanted, chosen, idleCells } = this;
		this.weights = new Float64Array(n);
		this.counts = new Float64Array(n);
		this.idle = this.weight = this.count = 0;
		for (let c = 0; c < n; c++) {
			if (chosen[c] && idleCells[c])
				this.idle += weights[c];
			if (wanted[c]) {
				this.weight += this.weights[c] = weights[c];
				this.count += this.counts[c] = counts[c];
			}
		}
	}

	/* The cells of the threads that are chosen, and those of them that are not left out as idle. */
	choose(task, idle) {
		const { ofTask } = this.threads, isChosen = this.threads.chosen(task);
		this.chosen = Uint8Array.from(this.task, t => Number(isChosen(ofTask[t])));
		this.wanted = this.chosen.map((one, c) => one && (idle || !this.idleCells[c]) ? 1 : 0);
	}

	/* Sums by cell of a range and CPU. A range that has moved a little takes only the samples at its edges. */
	sumRange(range, cpu) {
		const { samples } = this, n = this.task.length;
		const first = range ? samples.lower(range.from) : 0;
		const end = range ? samples.lower(range.to + 1) : samples.n;
		let { sums } = this;
		if (!sums || sums.cpu !== cpu || first >= sums.end || end <= sums.first)
			sums = { cpu, first, end: first, weights: new Float64Array(n), counts: new Float64Array(n) };
		const move = (from, to, sign) => samples.sum(from, to, cpu, sign, sums.weights, sums.counts);
		move(first, sums.first, 1);
		move(sums.first, first, -1);
		move(sums.end, end, 1);
		move(end, sums.end, -1);
		this.sums = Object.assign(sums, { first, end });
	}

	/** By thread, the weight of all its samples. */
	threadWeights() {
		const { threads, task } = this, weights = new Float64Array(threads.n);
		for (let c = 0; c < task.length; c++)
			weights[threads.ofTask[task[c]]] += this.allWeights[c];
		return weights;
	}

	/** The CPUs of all samples, with their weights. @returns {[number, number][]} */
	cpus() {
		this.cpuList ||= this.samples.cpus();
		return this.cpuList;
	}

	/* Whether the selection has all cells and CPUs. */
	get hasAll() {
		const { cpu, task, idle } = this.selection;
		return cpu < 0 && task === "" && (idle || !this.hasIdle);
	}

	/**
	 * The tree of callees: grouped, with frames left out.
	 * @param {{group: string, hide: string, collapse: string}} state
	 */
	callees(state) {
		return this.cached("callees " + [state.group, state.collapse, state.hide].join(" "), () => {
			const { frames } = this;
			const words = new Set(state.hide === "" ? [] : state.hide.split("."));
			let shape = this.base;
			if (state.group !== "name")
				shape = regrouped(shape, this.roots(state.group), frames.n);
			if (words.size > 0 || state.collapse === "yes")
				shape = reduced(shape, f => words.has(String(f)) ||
					(words.has("d" + frames.dsoIndex[f]) && !frames.isTask(f)),
					state.collapse === "yes", frames.n);
			return shape;
		});
	}

	/* By cell, the frame at the root of its stacks. */
	roots(group) {
		const { threads, frames, task } = this;
		if (group === "all")
			return new Int32Array(task.length).fill(-1);
		const order = heaviestFirst(this.threadWeights());
		const frameOf = new Map(order.slice(0, MOST_ROOTS).map(t => [t, frames.addTask(threads.name(t))]));
		const rest = order.length > MOST_ROOTS ?
			frames.addTask(plural(order.length - MOST_ROOTS, "other thread")) : -1;
		return Int32Array.from(task, t => frameOf.get(threads.ofTask[t]) ?? rest);
	}

	callers(state) {
		return this.cached("callers " + [state.group, state.collapse, state.hide].join(" "),
			() => inverted(this.callees(state)));
	}

	sandwich(state) {
		return this.cached("sandwich " + [state.group, state.collapse, state.hide, state.select].join(" "),
			() => sandwich(this.callees(state), state.select, this.frames.n));
	}

	/* In order of time; it changes with the selection. */
	ordered(state) {
		const { samples, selection, wanted } = this, cpu = selection.cpu + 1;
		const first = selection.range ? samples.lower(selection.range.from) : 0;
		const end = selection.range ? samples.lower(selection.range.to + 1) : samples.n;
		return inOrderOfTime(this.callees(state), samples, first, end,
			i => wanted[samples.cell[i]] === 1 && (!cpu || samples.cpu[i] === cpu));
	}

	/* The last few shapes are kept: views are switched to and fro. */
	cached(key, make) {
		const shape = this.shapes.get(key) || make();
		this.shapes.delete(key);
		this.shapes.set(key, shape);
		if (this.shapes.size > 6)
			this.shapes.delete(this.shapes.keys().next().value);
		return shape;
	}
}
