/* SPDX-License-Identifier: MIT */
/* The profile that sonde has written into the page; src/export/page/page.h describes its layout. */

const KINDS = ["unknown", "user", "kernel", "jit", "task", "idle"];
const FIRST_TASK = KINDS.indexOf("task");
const KIND_NAMES = {
	unknown: "unresolved", user: "user", kernel: "kernel", jit: "generated code (JIT)",
	task: "task", idle: "idle task",
};

class Frames {
	constructor(block, strings) {
		this.recorded = block.symbol.length;
		this.nameIndex = block.symbol;       /* without a mark of inlined functions */
		this.symbolIndex = block.symbol.slice();
		this.dsoIndex = block.dso;
		this.kind = block.kind;
		this.buildIds = block.build_id || [];
		this.strings = strings;
		this.noName = -1;
		for (const f of block.inlined || [])
			this.symbolIndex[f] = strings.push(this.plainName(f) + " (inlined)") - 1;
	}

	get n() {
		return this.symbolIndex.length;
	}

	/* A frame for a thread at the root of stacks; frames of functions come before all of them. */
	addTask(name) {
		const f = this.n;
		if (this.noName < 0)
			this.noName = this.strings.push("") - 1;
		this.symbolIndex.push(this.strings.push(name) - 1);
		this.nameIndex.push(this.symbolIndex[f]);
		this.dsoIndex.push(this.noName);
		this.kind.push(KINDS.indexOf("task"));
		return f;
	}

	/* A function of another recording: after those of this one, before the threads. Numbers of strings. */
	addRecorded(symbol, dso, kind, name) {
		this.symbolIndex.push(symbol);
		this.nameIndex.push(name);
		this.dsoIndex.push(dso);
		this.kind.push(kind);
		return this.recorded++;
	}

	symbol(f) {
		return this.strings[this.symbolIndex[f]];
	}

	plainName(f) {
		return this.strings[this.nameIndex[f]];
	}

	dso(f) {
		return this.strings[this.dsoIndex[f]];
	}

	/* In hexadecimal; "": not known, or not needed in this page. */
	buildId(f) {
		return this.strings[this.buildIds[f]] || "";
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
		return this.kind[f] >= FIRST_TASK;
	}
}

class Profile {
	/**
	 * @param {any} block
	 * @param {Uint8Array} bytes of the columns
	 * @param {Server | null} server that has the samples; null: they are in the page
	 */
	constructor(block, bytes, server) {
		this.server = server;
		const columns = new Columns(bytes);
		const strings = block.strings.map(visible);
		this.title = oneLine(block.title);
		this.wall = block.wall_ns;
		this.info = block.info.map(([name, value]) => [name, oneLine(value)]);
		this.losses = block.losses.map(visible);
		this.lost = block.lost.map(([from, to, cpu, text]) => ({ from, to, cpu, text: visible(text) }));
		this.code = new CodeBook(block.code || []);
		this.time = { step: block.time.step_ns, end: block.time.end };
		this.frames = new Frames(block.frames, strings);
		this.threads = new Threads(columns.take(block.columns), strings);
		const tracks = block.tracks ? columns.take(block.tracks.columns) : null;
		this.sched = tracks ? new Sched(block.tracks, tracks, strings, block.time.end) : null;
		this.events = block.events.map((e, i) =>
			new ProfileEvent(e, columns.take(e.columns), this.frames, this.threads, server, i));
		this.baseline = block.baseline ?
			new Baseline(block.baseline, columns, this.frames, this.threads) : null;
		for (const event of this.baseline ? this.events : [])
			event.baseline = this.baseline;
	}
}
