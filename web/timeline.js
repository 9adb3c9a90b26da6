/* SPDX-License-Identifier: MIT */
/* The time axis on a canvas: where samples lie, by thread or CPU or as a heat map; a range of it can be selected. */

const RULER = 22;
const CHART = 40;
const TRACK = 16;
const HEAT = 150;
const EDGE = 5;          /* pixels around an edge of the selection that move it */
const CLICK = 3;         /* a press that moves less is a click */

class Timeline extends Drawing {
	/**
	 * @param {HTMLCanvasElement} canvas
	 * @param {HTMLElement} gutter for the names of rows
	 * @param {Palette} palette
	 * @param {Axis} axis
	 * @param {object} on { select(range or null, done), window(), track(key), hover(text or null, x, y) }
	 */
	constructor(canvas, gutter, palette, axis, on) {
		super(canvas);
		this.gutter = gutter;
		this.palette = palette;
		this.axis = axis;
		this.on = on;
		this.event = null;
		this.mode = "threads";
		this.tracks = null;
		this.map = null;           /* the heat map that was painted last */
		this.lost = [];
		this.range = null;
		this.hoverX = -1;
		this.image = null;
		this.imageKey = "";
		this.hatch = null;
		this.pointers = new Map(); /* pressed, by id: their x */
		/* a press: { x, y, last (x), moved, pan, edge (of the range), before (the range) } */
		this.drag = null;
		canvas.addEventListener("pointerdown", e => this.down(e));
		canvas.addEventListener("pointermove", e => this.move(e));
		canvas.addEventListener("pointerup", e => this.up(e));
		canvas.addEventListener("pointercancel", e => this.up(e));
		canvas.addEventListener("pointerleave", () => this.leave());
		canvas.addEventListener("dblclick", () => this.zoomToRange());
		canvas.addEventListener("wheel", e => this.wheel(e), { passive: false });
		canvas.addEventListener("focus", () => this.queue());
		canvas.addEventListener("blur", () => this.queue());
		new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
	}

	/**
	 * @param {ProfileEvent} event
	 * @param {string} mode threads, cpus or heat
	 * @param {boolean} many show many rows
	 */
	setEvent(event, mode, many) {
		const most = many ? MANY_TRACKS : FEW_TRACKS;
		this.event = event;
		this.mode = mode;
		this.tracks = mode === "heat" ? null : mode === "cpus" ? Tracks.ofCpus(event, most) :
			Tracks.ofThreads(event, most);
		if (this.tracks && this.tracks.rows.length < 2)
			this.tracks.rows = [];   /* the same as the chart of all */
		this.many = many;
		this.image = null;
		this.label();
		this.resize();
	}

	label() {
		/** @type {[string, string, number][]} */
		const names = this.tracks ? [["All", "", CHART]] : [["", "", HEAT / 2], ["", "", HEAT / 2]];
		for (const { name, key } of this.tracks ? this.tracks.rows : [])
			names.push([name, key, TRACK]);
		this.gutter.replaceChildren(...names.map(([name, key, height], i) => {
			const button = document.createElement(this.mode === "heat" ? "span" : "button");
			const more = i > 0 && key === "" && !this.many;
			button.className = this.tracks ? "track" : "track scale";
			button.style.height = height + "px";
			button.textContent = name;
			button.title = name + (more ? ": show more of them" : key !== "" ? ": show only this" : "");
			if (button instanceof HTMLButtonElement) {
				button.type = "button";
				button.disabled = i > 0 && key === "" && this.many;
				button.addEventListener("click", () => this.on.track(more ? null : key));
			}
			button.dataset.key = key;
			return button;
		}));
		if (this.tracks && this.tracks.rows.length === 0)
			this.gutter.firstElementChild.textContent = this.mode === "cpus" ? "All CPUs" : "All threads";
	}

	/** The selected range, and the key of the track that is chosen. */
	update(range, chosen) {
		this.range = range;
		for (const item of this.gutter.children)
			if (item instanceof HTMLElement && item.dataset.key !== "")
				item.setAttribute("aria-pressed", String(item.dataset.key === chosen));
		this.queue();
	}

	get height() {
		return RULER + (this.tracks ? CHART + this.tracks.rows.length * TRACK : HEAT);
	}

	resize() {
		const width = this.canvas.parentElement.clientWidth;
		if (!width || !this.event)
			return;
		this.axis.width = width;
		this.setSize(width, this.height, Math.min(2, window.devicePixelRatio || 1));
		this.paint();
	}

	paint() {
		const { context, canvas, axis, palette, ratio, event } = this;
		if (!event || !ratio)
			return;
		this.paintDensity();
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.putImageData(this.image.image, 0, 0);
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.paintLosses();
		if (this.mode !== "heat")
			this.paintRange();
		this.paintRuler();
		if (this.hoverX >= 0 && this.mode !== "heat") {
			context.fillStyle = palette.ink;
			context.globalAlpha = 0.5;
			context.fillRect(Math.round(this.hoverX), RULER, 1, this.height - RULER);
			context.globalAlpha = 1;
		}
		if (canvas.matches(":focus-visible")) {
			context.strokeStyle = palette.focus;
			context.lineWidth = 2;
			context.strokeRect(1, 1, axis.width - 2, this.height - 2);
		}
	}

	/* The image of densities is kept: while a range is dragged, only what lies over it changes. */
	paintDensity() {
		const { canvas, axis, event, mode, range } = this, { task, cpu, idle } = event.selection;
		const key = [mode, this.many, axis.from, axis.to, canvas.width,
			canvas.height, task, cpu, idle].concat(mode === "heat" && range ? [range.from, range.to] : [])
			.join(" ");
		if (this.image && this.imageKey === key)
			return;
		this.imageKey = key;
		this.image = new DensityImage(this.context, canvas.width, canvas.height, this.palette);
		if (mode === "heat")
			this.paintHeat(this.image);
		else
			this.paintTracks(this.image);
	}

	/* The palette has changed. */
	recolor() {
		this.image = this.hatch = null;
		this.queue();
	}

	paintTracks(image) {
		const { axis, event, tracks, ratio } = this, { samples, wanted } = event;
		const width = image.width, rows = tracks.rows.length, px = value => Math.round(value * ratio);
		const grid = new Float32Array(width * rows);
		const all = new Float32Array(width);
		if (rows > 0)
			samples.density(axis, width, tracks.rowOfCell, tracks.rowOfCpu, grid);
		if (rows > 0 && event.hasAll)
			for (let i = 0; i < grid.length; i++)
				all[i % width] += grid[i];
		else
			samples.densityOf(axis, width, wanted, event.selection.cpu + 1, all);
		image.curve(all, px(RULER), px(CHART - 3), all.reduce((a, b) => Math.max(a, b), 0) || 1);
		if (rows === 0)
			return;
		/* the row of all others is a sum, and would make the single rows pale */
		const single = tracks.hidden > 0 ? grid.subarray(0, width * (rows - 1)) : grid;
		const most = single.reduce((a, b) => Math.max(a, b), 0) || 1;
		const others = grid.subarray(single.length).reduce((a, b) => Math.max(a, b), 0);
		for (let row = 0; row < rows; row++)
			image.strip(grid, row * width, px(RULER + CHART + row * TRACK), px(TRACK - 3),
				    row * width < single.length ? most : others || 1);
	}

	paintHeat(image) {
		const { axis, event, ratio } = this;
		this.map = new HeatMap(axis);
		const ends = this.gutter.children, period = this.map.period * axis.stepNs;
		ends[0].textContent = "time in a column: 0";
		ends[1].textContent = timeText(period, period);
		image.cells(this.map, this.map.values(event.samples, event.wanted, event.selection.cpu + 1),
			    Math.round(RULER * ratio), Math.round(HEAT * ratio), this.range);
	}

	paintLosses() {
		const { context, axis, palette } = this;
		for (const { from, to, cpu } of this.lost) {
			const left = axis.x(from) - 2, width = Math.max(axis.x(to) + 2 - left, 5);
			const row = this.mode !== "cpus" ? -1 :
				this.tracks.rows.findIndex(({ key }) => key === String(cpu));
			const top = row < 0 ? RULER : RULER + CHART + row * TRACK;
			if (left > axis.width || left + width < 0 || this.mode === "heat")
				continue;
			this.hatch ||= hatching(context, palette.note);
			context.fillStyle = this.hatch;
			context.fillRect(left, top, width, row < 0 ? CHART - 3 : TRACK - 3);
			context.fillStyle = palette.note;
			context.fillRect(left, RULER - 4, width, 3);
		}
	}

	paintRange() {
		const { context, axis, palette, range } = this;
		if (!range)
			return;
		const left = axis.x(range.from), right = Math.max(axis.x(range.to + 1), left + 1);
		context.fillStyle = palette.page;
		context.globalAlpha = 0.66;
		context.fillRect(0, RULER, Math.max(0, left), this.height - RULER);
		context.fillRect(right, RULER, Math.max(0, axis.width - right), this.height - RULER);
		context.globalAlpha = 1;
		context.fillStyle = palette.accent;
		context.fillRect(left, RULER - 3, right - left, 3);
		context.fillRect(left - 1, RULER - 3, 2, this.height - RULER + 3);
		context.fillRect(right - 1, RULER - 3, 2, this.height - RULER + 3);
	}

	paintRuler() {
		const { context, axis, palette } = this;
		context.font = "12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
		context.textBaseline = "middle";
		context.textAlign = "center";
		for (const { x, text } of axis.ticks(90)) {
			const half = context.measureText(text).width / 2;
			context.fillStyle = palette.line;
			if (this.mode !== "heat")
				context.fillRect(Math.round(x), RULER - 4, 1, 4);
			context.fillStyle = palette.muted;
			context.fillText(text, Math.min(Math.max(x, half + 1), axis.width - half - 1), 8);
		}
		context.textAlign = "start";
	}

	/* Which edge of the selection a place is on: "from", "to" or null. */
	edge(x) {
		const { axis, range } = this;
		if (!range || this.mode === "heat")
			return null;
		if (Math.abs(x - axis.x(range.from)) <= EDGE)
			return "from";
		return Math.abs(x - axis.x(range.to + 1)) <= EDGE ? "to" : null;
	}

	down(e) {
		if (e.button > 1)
			return;
		const { x, y } = this.place(e);
		this.canvas.setPointerCapture(e.pointerId);
		this.pointers.set(e.pointerId, x);
		if (this.pointers.size > 1) {
			this.drag = null;
			return;
		}
		const edge = this.edge(x);
		this.drag = { x, y, moved: false, pan: e.shiftKey || e.button === 1 || (y < RULER && !edge), last: x,
			      before: this.range, edge };
	}

	move(e) {
		const { x, y } = this.place(e);
		if (this.pointers.size === 2 && this.pointers.has(e.pointerId)) {
			this.pinch(e.pointerId, x);
			return;
		}
		const { drag } = this;
		if (!drag) {
			this.hover(e, x, y);
			return;
		}
		drag.moved ||= Math.abs(x - drag.x) >= CLICK || (this.mode === "heat" && Math.abs(y - drag.y) >= CLICK);
		if (!drag.moved)
			return;
		this.on.hover(null);
		if (drag.pan) {
			this.axis.pan(drag.last - x);
			drag.last = x;
			this.queue();
		} else {
			this.on.select(this.dragged(drag, x, y), false);
		}
	}

	dragged(drag, x, y) {
		const { axis } = this, time = at => Math.round(axis.time(Math.min(axis.width, Math.max(0, at))));
		if (this.mode === "heat") {
			const cell = (x, y) => this.map.cellAt(x / axis.width, (y - RULER) / HEAT);
			return this.map.range(cell(drag.x, drag.y), cell(x, y));
		}
		const fixed = drag.edge === "from" ? drag.before.to + 1 :
			drag.edge === "to" ? drag.before.from : time(drag.x);
		const from = Math.min(fixed, time(x)), to = Math.max(fixed, time(x));
		return { from, to: Math.max(from, to - 1) };
	}

	pinch(id, x) {
		const other = [...this.pointers].find(([key]) => key !== id)[1], before = this.pointers.get(id);
		const distance = Math.max(10, Math.abs(before - other)), now = Math.max(10, Math.abs(x - other));
		this.axis.zoom(other, distance / now);
		this.pointers.set(id, x);
		this.on.window();
		this.queue();
	}

	up(e) {
		const { drag } = this, { x, y } = this.place(e);
		this.pointers.delete(e.pointerId);
		this.drag = null;
		if (!drag || e.type === "pointercancel")
			return;
		if (!drag.moved) {
			if (this.range && e.detail < 2 && !this.edge(x))
				this.on.select(null, true);
		} else if (drag.pan) {
			this.on.window();
		} else {
			this.on.select(this.dragged(drag, x, y), true);
		}
	}

	hover(e, x, y) {
		const { axis, tracks } = this;
		const row = Math.floor((y - RULER - CHART) / TRACK);
		const name = tracks && row >= 0 && row < tracks.rows.length ? tracks.rows[row].name : "";
		const lost = this.lost.filter(({ from, to }) => x >= axis.x(from) - 4 && x <= axis.x(to) + 4)[0];
		let time = axis.text(axis.time(x));
		if (this.mode === "heat" && y >= RULER) {
			const cell = this.map.cellAt(x / axis.width, (y - RULER) / HEAT);
			const range = this.map.range(cell, cell);
			time = timeText(range.from * axis.stepNs, this.map.step * axis.stepNs / 10);
		}
		this.canvas.style.cursor = this.edge(x) ? "ew-resize" : y < RULER ? "grab" : "crosshair";
		this.hoverX = x;
		this.on.hover([time, name, lost ? "lost: " + lost.text : ""].filter(text => text !== "").join(" · "),
			      e.clientX, e.clientY);
		this.queue();
	}

	leave() {
		this.hoverX = -1;
		this.on.hover(null);
		this.queue();
	}

	wheel(e) {
		const { x } = this.place(e), unit = e.deltaMode === 1 ? 16 : 1;
		const across = e.shiftKey ? e.deltaX || e.deltaY : e.deltaX;
		if (Math.abs(across) > Math.abs(e.deltaY) || e.shiftKey)
			this.axis.pan(across * unit);
		else
			this.axis.zoom(x, 1.0015 ** (e.deltaY * unit));
		e.preventDefault();
		this.on.window();
		this.queue();
	}

	zoomToRange() {
		const { axis, range } = this, margin = range ? (range.to - range.from) / 20 : 0;
		if (range)
			axis.show(range.from - margin, range.to + margin);
		else
			axis.show(0, axis.end);
		this.on.window();
		this.queue();
	}

	/* Keys: arrows move the selection, or the axis if there is none. */
	key(name) {
		const { axis, range } = this, part = (axis.to - axis.from) / 20;
		const step = { ArrowLeft: -1, ArrowRight: 1 }[name];
		if (step && range) {
			const by = Math.round(Math.max(1, part) * step), length = range.to - range.from;
			const from = Math.min(Math.max(0, range.from + by), Math.max(0, axis.end - 1 - length));
			this.on.select({ from, to: from + length }, true);
		} else if (step) {
			axis.pan(step * axis.width / 10);
		} else if (name === "+" || name === "=" || name === "-") {
			const middle = range ? axis.x((range.from + range.to) / 2) : axis.width / 2;
			axis.zoom(Math.min(axis.width, Math.max(0, middle)), name === "-" ? 1.5 : 1 / 1.5);
		} else if (name === "Enter" || name === "Home") {
			this.zoomToRange();
		} else if (name === " ") {
			this.on.select(range ? null : { from: Math.round(axis.from + 8 * part),
							to: Math.round(axis.from + 12 * part) }, true);
		} else {
			return false;
		}
		this.on.window();
		this.queue();
		return true;
	}
}
