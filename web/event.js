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

/** The nodes of a tree as the page has them, below a root. */
function nodesOf(columns) {
	const up = columns.values("up"), frame = columns.values("frame"), n = up.length;
	const parents = new Int32Array(n + 1), frames = new Int32Array(n + 1);
	parents[0] = frames[0] = -1;
	for (let i = 0; i < n; i++) {
		parents[i + 1] = up[i] ? i + 1 - up[i] : 0;
		frames[i + 1] = frame[i];
	}
	return { parent: parents, frame: frames };
}

function share(part, whole) {
	return whole > 0 ? part / whole : 0;
}

/**
 * The event that a page opens with: of those with stacks, or else of all, the first that has at least half as many
 * samples as the one with the most. -1: none has samples.
 * @param {ProfileEvent[]} events
 */
function firstEvent(events) {
	const full = events.filter(event => !event.isEmpty), stacked = full.filter(event => event.hasStacks);
	const among = stacked.length > 0 ? stacked : full;
	const most = among.reduce((most, event) => Math.max(most, event.nrSamples), 0);
	return events.indexOf(among.find(event => 2 * event.nrSamples >= most));
}

class ProfileEvent {
	/**
	 * @param {any} block
	 * @param {any} columns
	 * @param {Frames} frames
	 * @param {Threads} threads
	 * @param {Server | null} server that has the samples
	 * @param {number} number of the event, for the server
	 */
	constructor(block, columns, frames, threads, server, number) {
		this.server = block.served > 0 ? server : null;
		this.number = number;
		this.name = visible(block.name);
		this.unit = block.unit;
		this.notes = block.notes.map(visible);
		this.mergedNs = block.merged_ns;
		/** @type {FieldRow[]} */
		this.fields = (block.fields || []).map(([name, distinct, values]) => [visible(name), distinct,
			values.map(([text, count]) => [visible(text), count])]);
		this.counted = block.counted || 0;
		/** @type {number[] | null} */
		this.gaps = block.gaps || null;
		this.columns = columns;
		this.frames = frames;
		this.threads = threads;
		this.isEmpty = columns.length("node") === 0;
		this.isTimed = columns.length("time") > 0;
		this.nrSamples = columns.values("samples").reduce((sum, n) => sum + n, 0);
		this.loaded = false;
		/** @type {SampleChoice | null} */
		this.selection = null;
		/** @type {[number, number][] | null} */
		this.cpuList = null;
		this.sums = null;
		this.shapes = new Map();
		/** @type {Baseline | null} */
		this.baseline = null;      /* of the page; it may lack the event */
		/*
		 * the event there: { name, notes, all, samples, whole, wholeCount; of the selection: weights, ...;
		 * commands: by frame of a command the name that it has there }
		 */
		this.old = null;
		this.widthsOfOld = false;
	}

	/* Of `record --off-cpu`: its weight is time in which no CPU was used. */
	get isOffCpu() {
		return this.unit === "ns" && plainEvent(this.name) === "offcpu-time";
	}

	/* Whether a sample has more than a task and a function. */
	get hasStacks() {
		const { parent } = nodesOf(this.columns);
		return parent.some(node => node > 0 && parent[node] > 0);
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
		const old = this.baseline ? this.baseline.event(this.name) : null;
		if (old && old.columns.length("node") > 0 && !old.columns.values("weight").some(w => w > 0))
			this.isWeighted = false;  /* then samples are compared */
		if (!this.isWeighted) {  /* samples have no weight of their own: each counts 1 */
			this.allWeights = this.allSamples;
			this.unit = "samples";
		}
		this.samples = this.server ? new ServedSamples(this.server, this) :
			new Samples(this.columns, this.isWeighted);
		const { parent, frame } = nodesOf(this.columns);
		this.base = new Shape(new Tree(parent, frame), Int32Array.from(values("node"), node => node + 1));
		if (old)
			this.join(old);
		this.findIdle();
		this.select({ range: null, cpu: -1, task: "", idle: true });
		this.weigh(this.base);
		this.whole = this.weight;
		this.wholeCount = this.count;
		this.stats = this.base.tree.functions(this.frames.n);
	}

	/* Adds the cells of the baseline, which have no part in the event's own sums. */
	join({ name, notes, columns }) {
		const { frameOf, firstTask } = this.baseline, values = name => columns.values(name);
		const own = this.task.length, task = values("task"), n = own + task.length;
		const padded = list => { const all = new Float64Array(n); all.set(list); return all; };
		const oldOnly = list => { const all = new Float64Array(n); all.set(list, own); return all; };
		const samples = oldOnly(values("samples"));
		this.old = { name, notes, samples, all: this.isWeighted ? oldOnly(values("weight")) : samples,
			     commands: new Map() };
		this.old.whole = this.old.all.reduce((a, b) => a + b, 0);
		this.old.wholeCount = samples.reduce((a, b) => a + b, 0);
		this.base = this.joinTrees(columns);
		this.task = Uint32Array.from([...this.task, ...Array.from(task, t => firstTask + t)]);
		this.allWeights = padded(this.allWeights);
		this.allSamples = this.isWeighted ? padded(this.allSamples) : this.allWeights;
	}

	/* One tree of the stacks of both. A command of the baseline may have another name here. */
	joinTrees(columns) {
		const { frames, baseline: { frameOf } } = this;
		const shapeOf = (columns, frameOf) => {
			const { parent, frame } = nodesOf(columns);
			return new Shape(new Tree(parent, frame.map(f => f < 0 ? f : frameOf[f])),
				Int32Array.from(columns.values("node"), node => node + 1));
		};
		const own = shapeOf(this.columns, frameOf.own), old = shapeOf(columns, frameOf.old);
		const commands = pairCommands(commandsOf(own, this.allSamples, frames),
			commandsOf(old, columns.values("samples"), frames));
		for (const [gone, command] of commands)
			this.old.commands.set(command, frames.symbol(gone));
		old.tree.frame = old.tree.frame.map(f => commands.get(f) ?? f);
		return joined(own, old, frames.n);
	}

	/**
	 * Gives a shape the weights of the selection, of a comparison those of both recordings.
	 * @param {Shape} shape
	 * @param {(cell: number) => boolean} inside the cells that count
	 */
	weigh(shape, inside = null) {
		const { old, widthsOfOld } = this, cut = list => inside ? list.map((v, c) => inside(c) ? v : 0) : list;
		if (old && widthsOfOld)
			shape.weigh(cut(old.weights), cut(old.counts));
		else
			shape.weigh(cut(this.weights), cut(this.counts));
		if (old)
			shape.weighOther(cut(widthsOfOld ? this.weights : old.weights));
	}

	/** The functions of a tree; "other" are the weights of the baseline, whichever recording has the widths. */
	functions(tree, node = 0) {
		const stats = tree.functions(this.frames.n, node);
		return this.old && this.widthsOfOld ? { ...stats, self: stats.otherSelf, total: stats.other,
							other: stats.total, otherSelf: stats.self } : stats;
	}

	/** The weights of a node in this recording and in the baseline, as shares of all or as they are. */
	compared(tree, node, absolute) {
		const { old, widthsOfOld } = this;
		const own = (widthsOfOld ? tree.other : tree.total)[node];
		const before = (widthsOfOld ? tree.total : tree.other)[node];
		return absolute ? { own, before } :
			{ own: share(own, this.weight), before: share(before, old.weight) };
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
		this.sums = range || cpu >= 0 ? this.samples.sums(range, cpu, n, this.sums) : null;
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
		if (this.old)
			this.selectOld();
	}

	/**
	 * Takes over the threads and CPUs of another event's selection, without the sums.
	 * @param {SampleChoice} selection
	 */
	follow({ task, cpu, idle }) {
		this.load();
		const before = this.selection;
		if (before.task !== task || before.idle !== idle)
			this.choose(task, idle);
		this.selection = { ...before, task, cpu, idle };
	}

	/* A range and a CPU are of this recording: of the baseline they leave all. */
	selectOld() {
		const { old, wanted } = this, only = list => list.map((v, c) => wanted[c] ? v : 0);
		old.weights = only(old.all);
		old.counts = only(old.samples);
		old.weight = old.weights.reduce((a, b) => a + b, 0);
		old.count = old.counts.reduce((a, b) => a + b, 0);
	}

	/* The cells of the threads that are chosen, and those of them that are not left out as idle. */
	choose(task, idle) {
		const { ofTask } = this.threads, commands = this.old ? this.old.commands : [];
		const isChosen = this.threads.chosen(task, new Map(Array.from(commands, ([command, name]) =>
			[this.frames.symbol(command), name])));
		this.chosen = Uint8Array.from(this.task, t => Number(isChosen(ofTask[t])));
		this.wanted = this.chosen.map((one, c) => one && (idle || !this.idleCells[c]) ? 1 : 0);
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
		return this.samples.ordered(this.callees(state), this);
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
