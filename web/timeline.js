/* SPDX-License-Identifier: MIT */
/* The time axis on a canvas: where samples lie, by thread or CPU or as a heat map; a range of it can be selected. */

const RULER = 22;
const CHART = 40;
const COUNTER = 24;
const TRACK = 16;
const HEAT = 150;
const NARROW = 900;       /* pixels of a screen, as in the style sheet */
const MOST_NAME = 200;    /* characters of a name beside the axis */
const RATE_PIXELS = 24;   /* around the pointer: the span of a rate */

/** A name beside the axis. @returns {any} */
function gutterRow(tag, name, height, title) {
	const row = document.createElement(tag);
	row.className = "track";
	row.style.height = height + "px";
	const wraps = height >= COUNTER && height < CHART && name.length > (innerWidth > NARROW ? 20 : 12);
	row.classList.toggle("wraps", wraps);
	if (wraps)
		for (const part of name.slice(0, MOST_NAME).split(/(?<=[-_.:])/))   /* lines may end there */
			row.append(part, document.createElement("wbr"));
	else
		row.textContent = name.slice(0, MOST_NAME);
	row.title = title || name;
	if (tag === "button")
		row.type = "button";
	return row;
}

class Timeline extends Drawing {
	/**
	 * @param {HTMLCanvasElement} canvas
	 * @param {HTMLElement} gutter for the names of rows
	 * @param {Palette} palette
	 * @param {Axis} axis
	 * @param {object} on { select(range or null, done), window(), track(key), event(number),
	 *	hover(text or null, x, y) }
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
		/** @type {Sched | null} */
		this.sched = null;
		/** @type {SchedPaint | null} */
		this.schedPaint = null;
		/** @type {Counters | null} */
		this.counters = null;
		this.beside = { shown: [], hidden: 0 };   /* the counters that have a row */
		this.curves = [];          /* of the event and those beside it: { name, unit, values, most } */
		this.range = null;
		this.hoverX = -1;
		this.image = null;
		this.imageKey = "";
		this.hatch = null;
		this.gestures = new Gestures(this);
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
		this.tracks = mode === "heat" ? null : mode === "cpus" ? Tracks.ofCpus(event, most, this.sched) :
			Tracks.ofThreads(event, most, this.sched);
		if (this.tracks && this.tracks.rows.length < 2 && !this.sched)
			this.tracks.rows = [];   /* it would be the same as the chart of all */
		this.beside = this.tracks && this.counters ? this.counters.beside(event, many) :
			{ shown: [], hidden: 0 };
		this.schedPaint = this.sched && this.tracks ? new SchedPaint(this.sched, mode, this.tracks.rows) : null;
		this.many = many;
		this.image = null;
		this.label();
		this.resize();
	}

	/* The names of rows. */
	label() {
		const scale = text => gutterRow("span", text, HEAT / 2, "");
		this.gutter.replaceChildren(...this.tracks ? this.rowNames() : [scale(""), scale("")]);
		for (const item of this.tracks ? [] : this.gutter.children)
			item.classList.add("scale");
	}

	rowNames() {
		const { tracks, beside, many, on } = this, noun = this.mode === "cpus" ? "CPUs" : "threads";
		const row = (name, height, title, click) => {
			const button = gutterRow("button", name, height, title);
			button.disabled = !click;
			button.addEventListener("click", click);
			return button;
		};
		const more = () => on.track(null), showMore = ": show more of them";
		const all = row(tracks.rows.length === 0 ? "All " + noun : "All", CHART, "", () => on.track(""));
		const counters = beside.shown.map(({ name, number }) =>
			row(shortEvent(name), COUNTER, name + (number < 0 ? ": counted by samples of another event" :
				": show this event"), number < 0 ? null : () => on.event(number)));
		if (beside.hidden > 0) {
			const name = plural(beside.hidden, "other event");
			counters.push(row(name, TRACK, name + (many ? "" : showMore), many ? null : more));
		}
		const rows = tracks.rows.map(({ name, key, isRest }) => {
			const toMore = isRest && !many;
			const title = name + (toMore ? showMore : key ? ": show only this" : "");
			const click = toMore ? more : key ? () => on.track(key) : null;
			const button = row(name, this.rowHeight, title, click);
			button.dataset.key = key;
			return button;
		});
		return [all, ...counters, ...rows];
	}

	/** The selected range, and the key of the track that is chosen. */
	update(range, chosen) {
		this.range = range;
		for (const item of this.gutter.children)
			if (item instanceof HTMLElement && item.dataset.key)
				item.setAttribute("aria-pressed", String(item.dataset.key === chosen));
		this.queue();
	}

	get rowHeight() {
		return TRACK + (!this.sched || !this.sched.hasStates ? 0 : this.mode === "cpus" ? TASKS : STATES);
	}

	/* Where the row of a counter begins. */
	counterTop(row) {
		return RULER + CHART + row * COUNTER;
	}

	/* Where the row of a thread or CPU begins. */
	top(row) {
		return this.counterTop(this.beside.shown.length) + (this.beside.hidden > 0 ? TRACK : 0) +
			row * this.rowHeight;
	}

	get height() {
		return this.tracks ? this.top(this.tracks.rows.length) : RULER + HEAT;
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
		if (this.schedPaint)
			this.schedPaint.paint(this, row => this.top(row));
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
		const { axis, event, tracks, ratio } = this;
		const width = image.width, rows = tracks.rows.length, px = value => Math.round(value * ratio);
		const { grid, all } = event.samples.tracks(axis, width, tracks, event);
		this.curves = [{ counter: event, values: all }, ...this.beside.shown.map(counter =>
			({ counter, values: counter.values(axis, width, event.selection) }))];
		for (const [i, { values }] of this.curves.entries()) {
			const top = i === 0 ? RULER : this.counterTop(i - 1), height = (i === 0 ? CHART : COUNTER) - 3;
			image.curve(values, px(top), px(height), values.reduce((a, b) => Math.max(a, b), 0) || 1);
		}
		if (rows === 0)
			return;
		/* the row of all others is a sum, and would make the single rows pale */
		const single = tracks.hidden > 0 ? grid.subarray(0, width * (rows - 1)) : grid;
		const most = single.reduce((a, b) => Math.max(a, b), 0) || 1;
		const others = grid.subarray(single.length).reduce((a, b) => Math.max(a, b), 0);
		for (let row = 0; row < rows; row++)
			image.strip(grid, row * width, px(this.top(row)), px(TRACK - 3),
				    row * width < single.length ? most : others || 1);
		const colours = this.palette.states.map(colour => pixel(channels(colour)));
		for (let row = 0; row < rows && this.schedPaint && this.mode !== "cpus"; row++) {
			const track = this.schedPaint.track(row), top = px(this.top(row) + TRACK - 2);
			if (track)
				image.states(track.shares(axis, width), top, px(STATES - 1), colours);
		}
	}

	paintHeat(image) {
		const { axis, event, ratio } = this;
		this.map = new HeatMap(axis);
		const ends = this.gutter.children, period = this.map.period * axis.stepNs;
		ends[0].textContent = "time in a column: 0";
		ends[1].textContent = timeText(period, period);
		image.cells(this.map, this.map.values(event),
			    Math.round(RULER * ratio), Math.round(HEAT * ratio), this.range);
	}

	paintLosses() {
		const { context, axis, palette } = this;
		for (const { from, to, cpu } of this.lost) {
			const left = axis.x(from) - 2, width = Math.max(axis.x(to) + 2 - left, 5);
			const row = this.mode !== "cpus" ? -1 :
				this.tracks.rows.findIndex(({ key }) => key === String(cpu));
			const top = row < 0 ? RULER : this.top(row);
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

	/* @edge: the edge of the selection that the pointer is on */
	hover(e, x, y, edge) {
		const { axis, tracks } = this;
		const row = Math.floor((y - this.top(0)) / this.rowHeight);
		const name = tracks && row >= 0 && row < tracks.rows.length ? tracks.rows[row].name : "";
		const lost = this.lostAt(x), byClick = y < RULER ? " (a click selects the time)" : "";
		const lostText = lost ? "lost: " + lost.text + byClick : "";
		let time = axis.text(axis.time(x));
		if (this.mode === "heat" && y >= RULER) {
			const cell = this.map.cellAt(x / axis.width, (y - RULER) / HEAT);
			const range = this.map.range(cell, cell);
			time = timeText(range.from * axis.stepNs, this.map.step * axis.stepNs / 10);
		}
		this.canvas.style.cursor = edge ? "ew-resize" : y < RULER ? "grab" : "crosshair";
		this.hoverX = x;
		const margin = 4 * (axis.to - axis.from) / axis.width;
		const steps = steps => duration(steps * axis.stepNs);
		const happens = name !== "" && this.schedPaint ?
			this.schedPaint.text(row, axis.time(x), margin, steps) : [];
		const texts = [time, this.rate(x, y), name, ...happens, lostText];
		this.on.hover(texts.filter(text => text !== "").join(" · "), e.clientX, e.clientY);
		this.queue();
	}

	/* A loss at a place of the axis. */
	lostAt(x) {
		const { axis } = this;
		return this.lost.find(({ from, to }) => x >= axis.x(from) - 4 && x <= axis.x(to) + 4);
	}

	/* How often an event happens around a place of its curve; "": there is no curve. */
	rate(x, y) {
		const { axis, curves, ratio } = this;
		const at = y < RULER ? -1 : y < RULER + CHART ? 0 : 1 + Math.floor((y - this.counterTop(0)) / COUNTER);
		if (this.mode === "heat" || !curves[at])
			return "";
		const { counter: { name, unit, isOffCpu }, values } = curves[at];
		const from = Math.max(0, Math.round((x - RATE_PIXELS / 2) * ratio));
		const near = values.slice(from, Math.round((x + RATE_PIXELS / 2) * ratio));
		const span = near.length * (axis.to - axis.from) / values.length * axis.stepNs;
		const sum = near.reduce((a, b) => a + b, 0);
		return near.length > 0 ? name + " " + rateText(sum, unit, span, isOffCpu) : "";
	}

	leave() {
		this.hoverX = -1;
		this.on.hover(null);
		this.queue();
	}
}
