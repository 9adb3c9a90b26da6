/* SPDX-License-Identifier: MIT */
/*
 * Colours of frames. The hues are those of Okabe and Ito, which people with any common colour blindness tell apart; the
 * tints for the light and the dark theme are in the style sheet.
 */

const HUES = 7;

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

	/* The legend: [colour, text, weight, search or null] */
	legend(stats) {
		if (this.by === "kind") {
			const weight = new Map();
			for (let f = 0; f < this.frames.n; f++)
				if (stats.total[f] > 0)
					weight.set(this.frames.kindName(f),
						   (weight.get(this.frames.kindName(f)) || 0) + stats.self[f]);
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
