/* SPDX-License-Identifier: MIT */
/* The table of functions. Only visible rows are in the document, so a hundred thousand rows scroll as fast as ten. */

const ROW_HEIGHT = 26;
const SPARE_ROWS = 8;
const WIDTH_ROWS = 50;
const BINARY_SHARE = 0.24;   /* of the width, at most */
const BINARY_LETTER = 8;     /* pixels */

class FunctionTable {
	/* on: { select(frame, toggle), focus(frame), sort() } */
	constructor(table, frames, on) {
		this.table = table;
		this.body = table.tBodies[0];
		this.head = table.tHead;
		this.scroll = table.parentElement;
		this.frames = frames;
		this.on = on;
		this.key = "self";
		this.descending = true;
		this.all = [];             /* frames that occur in the event */
		this.shown = [];           /* the frames that match, in order */
		this.selected = -1;        /* a frame */
		this.clicked = -1;         /* the same, during a click */
		this.wanted = null;
		this.rows = new Map();     /* of visible frames */
		this.body.addEventListener("click", e => this.click(e));
		this.body.addEventListener("dblclick", e => this.click(e));
		/* The second press of a double click would select a word. */
		this.body.addEventListener("mousedown", e => e.detail > 1 && e.preventDefault());
		this.head.addEventListener("click", e => this.sortBy(e.target.closest("th").dataset.key));
		this.table.addEventListener("keydown", e => this.keydown(e));
		this.scroll.addEventListener("scroll", () => this.render());
		new ResizeObserver(() => { this.shareWidth(); this.render(); }).observe(this.scroll);
	}

	/* Functions with their sums, as Tree.functions() gives them; whole: what is 100 %; isPart: those of a zoom. */
	setFunctions(event, stats, whole, isPart = false) {
		this.isPart = isPart;
		this.stats = stats;
		this.whole = whole;
		this.event = event;
		this.all = [];
		this.rows.clear();
		this.mostSelf = this.mostTotal = 0;
		for (let f = 0; f < this.frames.n; f++)
			if (!this.frames.isTask(f) && this.has(f)) {
				this.all.push(f);
				this.mostSelf = Math.max(this.mostSelf, this.stats.self[f]);
				this.mostTotal = Math.max(this.mostTotal, this.stats.total[f]);
			}
	}

	/* Whether a function occurs in what is shown. */
	has(f) {
		return this.stats.samples[f] > 0 || this.stats.total[f] > 0;
	}

	isShown(f) {
		return !this.wanted || this.wanted[f] === 1;
	}

	setWanted(wanted) {
		if (this.wanted || wanted)
			this.scroll.scrollTop = 0;
		this.wanted = wanted;
	}

	setSort(key, descending) {
		this.key = key;
		this.descending = descending;
		this.scroll.scrollTop = 0;
	}

	sortBy(key) {
		this.setSort(key, key === this.key ? !this.descending : this.isNumber(key));
		this.on.sort();
	}

	/* Columns of numbers begin with the largest. */
	isNumber(key) {
		return key === "self" || key === "total";
	}

	/* How two functions compare in the column of the key. */
	order() {
		const { stats, frames } = this;
		return {
			self: (a, b) => stats.self[a] - stats.self[b] || stats.total[a] - stats.total[b],
			total: (a, b) => stats.total[a] - stats.total[b] || stats.self[a] - stats.self[b],
			symbol: (a, b) => collator.compare(frames.symbol(a), frames.symbol(b)),
			dso: (a, b) => collator.compare(frames.binary(a), frames.binary(b)),
		}[this.key];
	}

	/* After any of these. */
	update() {
		const { stats } = this;
		if (!stats)
			return;
		const by = this.order(), sign = this.descending ? -1 : 1;
		this.shown = this.all.filter(f => this.isShown(f));
		this.shown.sort((a, b) => sign * by(a, b) || stats.self[b] - stats.self[a] || a - b);
		for (const th of this.head.querySelectorAll("th"))
			th.setAttribute("aria-sort", th.dataset.key !== this.key ? "none" :
					this.descending ? "descending" : "ascending");
		this.table.setAttribute("aria-rowcount", this.shown.length + 1);
		const none = document.getElementById("no-rows");
		none.hidden = this.shown.length > 0;
		none.textContent = "No function " + (this.isPart ? "of the zoom " : "") + "matches.";
		document.getElementById("count").textContent = this.countText;
		this.shareWidth();
		this.render();
	}

	/* Binaries get what nine tenths of the names in the first rows need; functions have the rest of the width. */
	shareWidth() {
		const lengths = this.shown.slice(0, WIDTH_ROWS).map(f => this.frames.binary(f).length);
		lengths.sort((a, b) => a - b);
		const longest = Math.max("Binary".length, lengths[Math.floor(0.9 * (lengths.length - 1))] || 0);
		const pixels = Math.min(BINARY_SHARE * this.scroll.clientWidth, longest * BINARY_LETTER + 22);
		this.table.style.setProperty("--dso", Math.round(pixels) + "px");
	}

	get countText() {
		const all = plural(this.all.length, "function");
		return this.shown.length === this.all.length ? all : integer.format(this.shown.length) + " of " + all;
	}

	/* A visible row stays the same element: both clicks of a double click have to find it. */
	render() {
		const from = Math.max(0, Math.floor(this.scroll.scrollTop / ROW_HEIGHT) - SPARE_ROWS);
		const to = Math.min(this.shown.length,
			Math.ceil((this.scroll.scrollTop + this.scroll.clientHeight) / ROW_HEIGHT) + SPARE_ROWS);
		const before = this.rows, rows = [];
		this.rows = new Map();
		for (let i = from; i < to; i++) {
			const f = this.shown[i], tr = before.get(f) || this.row(f);
			tr.setAttribute("aria-rowindex", i + 2);
			tr.setAttribute("aria-selected", f === this.selected ? "true" : "false");
			this.rows.set(f, tr);
			rows.push(tr);
		}
		if (from > 0)
			rows.unshift(FunctionTable.filler(from));
		if (to < this.shown.length)
			rows.push(FunctionTable.filler(this.shown.length - to));
		if (rows.length !== this.body.children.length || rows.some((tr, i) => tr !== this.body.children[i]))
			this.body.replaceChildren(...rows);
		const at = this.shown.indexOf(this.selected);
		if (at >= from && at < to)
			this.table.setAttribute("aria-activedescendant", "row-" + this.selected);
		else
			this.table.removeAttribute("aria-activedescendant");
	}

	static filler(rows) {
		const tr = document.createElement("tr");
		tr.setAttribute("aria-hidden", "true");
		tr.className = "filler";
		tr.style.height = rows * ROW_HEIGHT + "px";
		return tr;
	}

	row(f) {
		const tr = document.createElement("tr");
		tr.id = "row-" + f;
		tr.dataset.frame = f;
		tr.append(...this.cells(f));
		return tr;
	}

	cells(f) {
		const { stats, frames } = this;
		return [this.number(stats.self[f], stats.selfSamples[f], this.mostSelf),
			this.number(stats.total[f], stats.samples[f], this.mostTotal),
			FunctionTable.cell("symbol", frames.symbol(f), frames.symbol(f)),
			FunctionTable.cell("dso " + frames.kindName(f), frames.binary(f), frames.dso(f))];
	}

	/* The bar is relative to the largest value of the column. */
	number(weight, samples, most) {
		const td = FunctionTable.cell("number", percent(weight, this.whole),
			weightText(this.event, weight) + ", " + plural(samples, "sample"));
		td.style.setProperty("--share", most > 0 ? 100 * weight / most + "%" : "0%");
		return td;
	}

	static cell(name, text, title) {
		const td = document.createElement("td");
		td.className = name;
		td.textContent = text;
		td.title = title;
		return td;
	}

	/* A double click comes here twice; the second click does not undo the first. */
	click(e) {
		const tr = e.target.closest("tr[data-frame]");
		if (!tr)
			return;
		const f = Number(tr.dataset.frame);
		if (e.type === "dblclick")
			this.on.focus(f);
		else if (e.detail < 2) {
			this.clicked = f;
			this.on.select(f, true);
			this.clicked = -1;
		}
	}

	/* Called by the owner of the selection. */
	setSelected(frame) {
		this.selected = frame;
		const i = this.shown.indexOf(frame);
		/* a clicked row stays under the pointer, so that a second click hits it */
		if (i >= 0 && frame !== this.clicked) {
			const view = this.scroll.clientHeight - ROW_HEIGHT - this.head.offsetHeight;
			if (i * ROW_HEIGHT < this.scroll.scrollTop)
				this.scroll.scrollTop = i * ROW_HEIGHT;
			else if (i * ROW_HEIGHT > this.scroll.scrollTop + view)
				this.scroll.scrollTop = i * ROW_HEIGHT - view;
		}
		this.render();
	}

	keydown(e) {
		const page = Math.max(1, Math.floor(this.scroll.clientHeight / ROW_HEIGHT) - 2);
		const steps = {
			ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity
		};
		if (e.target !== this.table || e.ctrlKey || e.metaKey || e.altKey || this.shown.length === 0)
			return;
		if (e.key in steps) {
			const at = this.shown.indexOf(this.selected);
			const to = at < 0 ? 0 : Math.min(this.shown.length - 1, Math.max(0, at + steps[e.key]));
			this.on.select(this.shown[to]);
		} else if (e.key === "Enter" && this.selected >= 0) {
			this.on.focus(this.selected);
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	}
}

const collator = new Intl.Collator("en", { numeric: true });
