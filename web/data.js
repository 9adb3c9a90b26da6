/* SPDX-License-Identifier: MIT */
/* The profile that sonde has written into the page; src/export/page/page.h describes its layout. */

const KINDS = ["unknown", "user", "kernel", "jit", "task", "idle"];
const KIND_NAMES = {
	unknown: "unresolved", user: "user", kernel: "kernel", jit: "generated code (JIT)",
	task: "task", idle: "idle task",
};

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

	/* The short name of a binary; dso() is the name in the trace. */
	binary(f) {
		return binaryName(this.dso(f));
	}

	kindName(f) {
		return KINDS[this.kind[f]] || "unknown";
	}

	/* The process or thread at the root of stacks. */
	isTask(f) {
		return this.kindName(f) === "task" || this.kindName(f) === "idle";
	}
}

class ProfileEvent {
	constructor(block, frames) {
		this.name = visible(block.name);
		this.unit = block.unit;
		this.notes = block.notes.map(visible);
		this.frames = frames;
		this.nodes = block.nodes;
		this.everything = null;
		this.idleHidden = false;
		this.callees = null;
		this.callers = null;
		this.stats = null;
	}

	hideIdle(hidden) {
		if (hidden !== this.idleHidden)
			this.callees = this.callers = this.stats = null;
		this.idleHidden = hidden;
	}

	/* The tree of callees with all samples. */
	get whole() {
		if (!this.everything)
			this.everything = this.build();
		return this.everything;
	}

	/* The weight of idle CPUs. */
	get idle() {
		const { n, parent, frame, total } = this.whole;
		if (this.idleWeight === undefined) {
			this.idleWeight = 0;
			for (let i = 1; i < n; i++)
				if (parent[i] === 0 && this.frames.kindName(frame[i]) === "idle")
					this.idleWeight += total[i];
		}
		return this.idleWeight;
	}

	/* Trees are made when they are first shown, because a file may have many events. */
	tree(view) {
		if (!this.callees)
			this.callees = this.idleHidden ? this.busy() : this.whole;
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
		if (!weights.some(w => w > 0)) {  /* samples have no weight of their own: each counts 1 */
			weights.set(counts);
			this.unit = "samples";
		}
		return new Tree(parents, frames, weights, counts);
	}

	/* Nodes keep their numbers; idle nodes get weight 0. */
	busy() {
		const { n, parent, frame, self, selfSamples } = this.whole;
		const weights = self.slice(), counts = selfSamples.slice(), idle = new Uint8Array(n);
		for (let i = 1; i < n; i++) {
			idle[i] = parent[i] === 0 ? this.frames.kindName(frame[i]) === "idle" : idle[parent[i]];
			if (idle[i])
				weights[i] = counts[i] = 0;
		}
		return new Tree(parent, frame, weights, counts);
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
		this.wall = block.wall_ns;
		this.info = block.info.map(([name, value]) => [name, visible(value)]);
		this.losses = block.losses.map(visible);
		this.frames = new Frames(block.frames, strings);
		this.events = block.events.map(e => new ProfileEvent(e, this.frames));
	}
}
