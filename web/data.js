/* SPDX-License-Identifier: MIT */
/* The profile that sonde wrote into the page; the layout is described in src/export/html.h. */

const KINDS = ["unknown", "user", "kernel", "jit", "task"];
const KIND_NAMES = { unknown: "unresolved", user: "user", kernel: "kernel", jit: "generated code (JIT)", task: "task" };

class Frames {
	constructor(block, strings) {
		this.n = block.symbol.length;
		this.symbolIndex = block.symbol;
		this.dsoIndex = block.dso;
		this.kind = block.kind;
		this.strings = strings;
	}

	symbol(f) {
		return this.strings[this.symbolIndex[f]];
	}

	dso(f) {
		return this.strings[this.dsoIndex[f]];
	}

	kindName(f) {
		return KINDS[this.kind[f]] || "unknown";
	}
}

class ProfileEvent {
	constructor(block, frames) {
		this.name = visible(block.name);
		this.unit = block.unit;
		this.frames = frames;
		this.nodes = block.nodes;
		this.callees = null;
		this.callers = null;
	}

	/* Trees are made when they are first shown: a file may hold many events. */
	tree(view) {
		if (!this.callees)
			this.callees = this.build();
		if (view !== "callers")
			return this.callees;
		if (!this.callers)
			this.callers = this.callees.inverted();
		return this.callers;
	}

	build() {
		const { up, frame, weight, samples } = this.nodes;
		const n = up.length;
		const parents = new Int32Array(n + 1), frames = new Int32Array(n + 1);
		const weights = new Float64Array(n + 1), counts = new Float64Array(n + 1);
		parents[0] = -1;
		frames[0] = -1;
		for (let i = 0; i < n; i++) {
			parents[i + 1] = up[i] ? i + 1 - up[i] : 0;
			frames[i + 1] = frame[i];
			weights[i + 1] = weight[i];
			counts[i + 1] = samples[i];
		}
		this.nodes = null;
		if (!weights.some(w => w > 0)) {  /* counted, but not weighed: every sample weighs the same */
			weights.set(counts);
			this.unit = "samples";
		}
		return new Tree(parents, frames, weights, counts);
	}

	functions() {
		if (!this.stats)
			this.stats = this.tree("callees").functions(this.frames.n);
		return this.stats;
	}
}

class Profile {
	constructor(block) {
		const strings = block.strings.map(visible);
		this.title = visible(block.title);
		this.info = block.info.map(([name, value]) => [name, visible(value)]);
		this.losses = block.losses.map(visible);
		this.frames = new Frames(block.frames, strings);
		this.events = block.events.map(e => new ProfileEvent(e, this.frames));
	}
}
