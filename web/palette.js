/* SPDX-License-Identifier: MIT */
/*
 * Colours of frames. The hues are those of Okabe and Ito, which people with any common colour blindness tell apart; the
 * tints for the light and the dark theme are in the style sheet.
 */

const HUES = 7;
const CHANGE_STEPS = 6;          /* of colour, for less and for more */

class Palette {
	constructor(frames) {
		this.frames = frames;
		this.by = "dso";
		this.read();
	}

	read() {
		const style = getComputedStyle(document.documentElement);
		const color = name => style.getPropertyValue(name).trim();
		this.hues = [];
		for (let i = 0; i < HUES; i++)
			this.hues.push(color("--hue-" + i));
		this.states = ["--running", "--runnable", "--blocked"].map(color);   /* by SHOWN_STATES */
		this.other = color("--hue-other");
		this.task = color("--hue-task");
		this.root = color("--hue-root");
		this.match = color("--match");
		this.matchInk = color("--match-ink");
		this.ink = color("--frame-ink");
		this.page = color("--page");
		this.faded = color("--faded");
		this.fadedInk = color("--faded-ink");
		this.rest = color("--rest");
		this.select = color("--select");
		this.panel = color("--panel");
		this.accent = color("--accent");
		this.muted = color("--muted");
		this.line = color("--line");
		this.focus = color("--focus");
		this.note = color("--note-line");
		const [less, same, more] = ["--less", "--same", "--more"].map(name => channels(color(name)));
		this.changes = Array.from({ length: 2 * CHANGE_STEPS + 1 }, (_, i) => "rgb(" + (i < CHANGE_STEPS ?
			mixed(less, same, i / CHANGE_STEPS) : mixed(same, more, i / CHANGE_STEPS - 1)) + ")");
	}

	/* Binaries get their hues by weight, so that the heaviest ones have different hues. */
	rank(stats) {
		const weight = new Map();
		this.hueOfDso = new Map();
		for (let f = 0; f < this.frames.n; f++)
			if (!this.frames.isTask(f) && stats.total[f] > 0)
				weight.set(this.frames.dsoIndex[f],
					   (weight.get(this.frames.dsoIndex[f]) || 0) + stats.self[f]);
		this.dsos = [...weight].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
		this.dsos.slice(0, HUES).forEach(([dso], i) => this.hueOfDso.set(dso, i));
	}

	fill(f) {
		if (f < 0)
			return this.root;
		const kind = this.frames.kindName(f);
		if (this.frames.isTask(f))
			return this.task;
		if (this.by === "kind")
			return { user: this.hues[0], kernel: this.hues[1], jit: this.hues[2] }[kind] || this.other;
		const hue = this.hueOfDso.get(this.frames.dsoIndex[f]);
		return hue === undefined ? this.other : this.hues[hue];
	}

	/** The colour of a task by its place among those that ran longest. */
	taskFill(rank) {
		return this.hues[rank] || this.other;
	}

	/** The colour of a change from -1, gone, to 1, new. */
	change(value) {
		return this.changes[Math.round((value + 1) * CHANGE_STEPS)];
	}

	/** The legend of a comparison. @returns {LegendRow[]} */
	changeLegend() {
		/** @type {[number, string][]} */
		const marks = [[-1, "gone"], [-0.5, "half"], [0, "the same"], [0.5, "double"], [1, "new"]];
		return marks.map(([value, text]) => [this.change(value), text, 0, null]);
	}

	/** @returns {LegendRow[]} */
	legend(stats) {
		if (this.by === "kind") {
			const weight = new Map();
			for (let f = 0; f < this.frames.n; f++)
				if (stats.total[f] > 0)
					weight.set(this.frames.kindName(f),
						   (weight.get(this.frames.kindName(f)) || 0) + stats.self[f]);
			/** @type {{[kind: string]: string}} */
			const colors = { user: this.hues[0], kernel: this.hues[1], jit: this.hues[2],
					 task: this.task, idle: this.task };
			return KINDS.filter(k => weight.has(k))
				.map(k => [colors[k] || this.other, KIND_NAMES[k], weight.get(k), null]);
		}
		const weight = new Map();
		for (let f = 0; f < this.frames.n; f++)
			if (!this.frames.isTask(f) && stats.self[f] > 0)
				weight.set(this.frames.dsoIndex[f], (weight.get(this.frames.dsoIndex[f]) || 0) +
					stats.self[f]);
		/** @type {LegendRow[]} */
		const rows = this.dsos.slice(0, HUES).map(([dso], i) => {
			const name = this.frames.strings[dso];
			return [this.hues[i], binaryName(name) || "(no binary)", weight.get(dso) || 0,
				"dso:^" + Search.quote(name) + "$"];
		});
		const rest = this.dsos.slice(HUES);
		if (rest.length > 0)
			rows.push([this.other, plural(rest.length, "other binary", "other binaries"),
				rest.reduce((sum, [dso]) => sum + (weight.get(dso) || 0), 0), null]);
		return rows;
	}
}
