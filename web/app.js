/* SPDX-License-Identifier: MIT */
/* The page: one state, which the views and the controls show; every change of it goes through show(). */

const TABLE_PAUSE = 100;   /* milliseconds */

class App {
	/** @param {Profile} profile */
	constructor(profile) {
		this.profile = profile;
		this.state = null;
		this.search = new Search("");
		this.typing = 0;
		this.tableDue = 0;
		this.tableLags = false;   /* while the pointer moves: it is not that of the state yet */
		this.orderLags = false;   /* the same of the graph in order of time */
		this.isMoving = false;    /* the pointer, over many ranges */
		this.places = [];
		this.found = null;
		this.detail = new Detail(profile);
		this.detail.header();
		const first = firstEvent(profile.events);
		if (first < 0) {
			document.body.classList.add("is-empty");
			$("empty").hidden = false;
			return;
		}
		this.palette = new Palette(profile.frames);
		this.flame = this.graph($("canvas"), node => this.zoom(node));
		this.upper = this.graph($("upper"), node => this.upper.zoomTo(node, true));
		this.upper.rising = true;
		this.upper.hidden = 1;   /* the function itself is in the lower half */
		this.upper.direction = "callers";
		if (profile.baseline) {
			compareByDefault();
			ComparedTable.head($("table"));
		}
		this.table = new (profile.baseline ? ComparedTable : FunctionTable)($("table"), profile.frames, {
			select: (f, toggle) => this.select(toggle && f === this.state.select ? -1 : f),
			focus: f => this.focusFunction(f, 1),
			sort: () => this.show({ sort: (this.table.descending ? "-" : "") + this.table.key }),
		});
		this.axis = new Axis(profile.time.end, profile.time.step);
		this.timeline = new Timeline($("axis"), $("gutter"), this.palette, this.axis, {
			select: (range, done) => this.show({ range: range ? range.from + "-" + range.to : "" },
				{ history: done ? "push" : "none" }),
			window: () => this.show({ at: this.axis.isWhole ? "" :
				Math.round(this.axis.from) + "-" + Math.round(this.axis.to) }),
			track: key => this.chooseTrack(key),
			event: number => this.show({ event: number }, { history: "push" }),
			hover: (text, x, y) => this.detail.hoverText(text, x, y),
		});
		this.timeline.lost = profile.lost;
		this.timeline.sched = profile.sched;
		this.timeline.counters = new Counters(profile);
		this.manyTracks = false;
		this.choosers = new Choosers(profile, change => this.show(change, { history: "push" }));
		this.comparison = profile.baseline ?
			new Comparison(profile.baseline, change => this.show(change, { history: "push" })) : null;
		listen(this);
		if (profile.server)
			profile.server.on = {
				samples: () => this.show({}, { history: this.isMoving ? "none" : "replace",
							       animate: false, renewed: true }),
				tracks: () => this.timeline.recolor(),
			};
		const state = stateOf(location.hash);
		if (!location.hash.includes("event="))
			state.event = first;
		this.show(state, { animate: false });
	}

	graph(canvas, zoom) {
		const flame = new Flame(canvas, this.profile.frames, this.palette, {
			zoom,
			hover: (rect, x, y) => this.detail.hover(flame, rect, x, y),
			cursor: node => this.detail.line(flame, node),
		});
		flame.change = (tree, node) => {
			const { own, before } = this.event.compared(tree, node, this.state.scale === "absolute");
			return change(own, before);
		};
		return flame;
	}

	get event() {
		return this.profile.events[this.state.event];
	}

	get tree() {
		return this.flame.tree;
	}

	/**
	 * Applies a change of state.
	 * @param {object} change
	 * @param {object} how history: "push" makes a step that the browser's Back undoes, "none" is one of many while
	 * the pointer moves; renewed: the sums of samples have changed
	 */
	show(change, { history = "replace", animate = true, renewed = false } = {}) {
		const before = this.state;
		const state = this.state = { ...before, ...change };
		if (state.event >= this.profile.events.length)
			state.event = 0;
		if (state.select >= this.profile.frames.recorded)
			state.select = -1;
		const differs = (...keys) => !before || keys.some(k => before[k] !== state[k]);
		const newEvent = differs("event");
		const newSelection = newEvent || renewed || differs("range", "task", "cpu", "idle", "widths");
		this.orderLags ||= newSelection && state.order === "time";
		const newShape = newEvent || differs("view", "group", "hide", "collapse", "order") ||
			(state.view === "sandwich" && differs("select")) || (this.orderLags && history !== "none");

		this.orderLags &&= history === "none";
		this.isMoving = history === "none";
		if (newEvent) {
			this.event.load();
			this.palette.rank(this.event.stats);
			this.choosers.setEvent(this.event);
			document.body.classList.toggle("has-fields",
				showFields($("fields"), $("fields-notes"), this.event));
			this.flame.named = this.upper.named = this.event.old ? this.event.old.commands : new Map();
		}
		this.detail.update(this.event, state);
		if (this.event.old && state.group === "thread")
			state.group = "name";
		if (newSelection) {
			const { isTimed } = this.event;
			this.event.select({ range: isTimed ? rangeOf(state.range) : null, cpu: isTimed ? state.cpu : -1,
					    task: state.task, idle: state.idle !== "hide" });
			this.detail.summary();
		}
		this.event.widthsOfOld = state.widths === "old";
		this.palette.by = state.color === "change" && !this.event.old ? "dso" : state.color;
		if (newShape && before && before.zoom === state.zoom)
			state.zoom = 0;
		if (newSelection || newShape)
			this.reshape(newShape);
		if (state.zoom >= this.tree.n || !(this.tree.total[state.zoom] > 0))
			state.zoom = 0;
		if (newSelection && !newShape) {
			this.flame.reweighed(state.zoom);
			this.upper.reweighed(0);
		}
		if (newSelection || newShape || differs("search"))
			this.find();
		this.flame.selected = state.view === "sandwich" ? -1 : state.select;
		if (differs("shape") && !newShape) {
			this.flame.rising = state.view !== "sandwich" && state.shape === "flame";
			this.flame.layout();
			this.flame.reveal(state.zoom, true);
		}
		if (newShape || differs("zoom"))
			this.flame.zoomTo(state.zoom, animate && !newShape && !newSelection);
		this.tableLags ||= newSelection;
		if (history !== "none" || performance.now() >= this.tableDue)
			this.showTable(differs, this.tableLags, newShape);
		this.showTimeline(differs, newEvent);
		if (history === "none") {
			this.choosers.chips(state, this.event, this.axis);
		} else {
			this.controls();
			this.detail.crumbs(this.flame, node => this.zoom(node));
		}
		this.matched();
		this.detail.line(this.flame, state.zoom);
		this.flame.queue();
		this.upper.queue();
		if (history !== "none")
			this.remember(history);
	}

	remember(history) {
		const address = addressOf(this.state);
		/* about:srcdoc, a frame of a notebook, has no address of its own. */
		if (location.protocol !== "about:" && address !== (location.hash || "#"))
			window.history[history === "push" ? "pushState" : "replaceState"](null, "", address);
	}

	/* Weighs the trees in sight; makes them first if they are others than before. */
	reshape(isNew) {
		const { event, state } = this;
		this.functions = event.callees(state);
		event.weigh(this.functions);
		this.stats = event.functions(this.functions.tree);
		if (!isNew) {
			if (this.shown !== this.functions)
				event.weigh(this.shown);
			if (state.view === "sandwich")
				event.weigh(this.shownUpper);
			return;
		}
		let shape = this.functions;
		const isSandwich = state.view === "sandwich";
		if (isSandwich && state.select < 0)
			state.select = this.heaviest();
		if (isSandwich) {
			const halves = event.sandwich(state);
			shape = halves.callees;
			this.shownUpper = halves.callers;
			event.weigh(this.shownUpper);
		} else if (state.view === "callers") {
			shape = event.callers(state);
		} else if (state.order === "time" && event.isTimed && !event.old) {
			shape = event.ordered(state);
		}
		event.weigh(shape);
		this.shown = shape;
		$("graph").classList.toggle("sandwich", isSandwich);
		this.flame.direction = state.view === "callers" ? "callers" : "callees";
		this.flame.rising = !isSandwich && state.shape === "flame";
		this.flame.setTree(shape.tree);
		if (isSandwich)
			this.upper.setTree(this.shownUpper.tree);
		else
			this.upper.tree = null;
	}

	/* The function that most of the time was spent in. */
	heaviest() {
		const { self } = this.stats;
		let most = 0;
		for (let f = 1; f < this.profile.frames.recorded; f++)
			if (self[f] > self[most])
				most = f;
		return most;
	}

	/*
	 * The table and the legend. The table has the functions below the zoom; of a zoom into callers, those of the
	 * stacks that pass through it.
	 */
	showTable(differs, newSelection, newShape) {
		const begin = performance.now();
		this.tableLags = false;
		const { state, event, table, tree } = this;
		const newTable = differs("measure", "scale", "only");
		if (table instanceof ComparedTable)
			table.setComparison(state);
		if (newSelection || newShape || newTable || differs("zoom")) {
			let stats;
			if (state.zoom === 0) {
				stats = this.stats;
			} else if (this.shown === this.functions || this.shown.fixed) {
				stats = event.functions(tree, state.zoom);
			} else {
				stats = this.throughZoom();
			}
			table.setFunctions(event, stats, state.zoom > 0 ? tree.total[state.zoom] :
				this.functions.tree.total[0], state.zoom > 0);
		}
		if (newSelection || newShape || differs("search"))
			table.setWanted(this.flame.wanted);
		if (differs("sort"))
			table.setSort(state.sort.replace("-", ""), state.sort.startsWith("-"));
		if (newSelection || newShape || newTable || differs("zoom", "search", "sort"))
			table.update();
		if (newSelection || newShape || newTable || differs("select", "search", "sort", "zoom"))
			table.setSelected(state.select);
		if (newSelection || newShape || differs("color", "search"))
			this.legend();
		/* while the pointer moves, sorting thousands of functions takes an eighth of the time at most */
		this.tableDue = performance.now() + Math.max(TABLE_PAUSE, 8 * (performance.now() - begin));
	}

	/* The functions of the stacks that pass through the zoomed node. */
	throughZoom() {
		const { event, shown, functions } = this, below = shown.tree.below(this.state.zoom);
		const { tree } = functions, inside = c => shown.nodeOf[c] >= 0 && below[shown.nodeOf[c]] === 1;
		event.weigh(functions, inside);
		const stats = event.functions(tree);
		event.weigh(functions);
		return stats;
	}

	showTimeline(differs, newEvent) {
		const { state, event, timeline, axis } = this;
		if (!event.isTimed)
			return;
		if (differs("at")) {
			const at = rangeOf(state.at);
			axis.show(at ? at.from : 0, at ? at.to : axis.end);
		}
		if (newEvent || differs("tracks") || timeline.many !== this.manyTracks)
			timeline.setEvent(event, state.tracks, this.manyTracks);
		if (newEvent || differs("tracks", "range", "task", "cpu"))
			this.schedLegend();
		timeline.update(event.selection.range, state.tracks === "cpus" ? String(state.cpu) : state.task);
	}

	/* A row of the time axis: shows only it, or all again; null asks for more rows. */
	chooseTrack(key) {
		const { state } = this;
		if (key === null) {
			this.manyTracks = true;
			this.show({});
		} else if (state.tracks === "cpus") {
			this.show({ cpu: key === "" || Number(key) === state.cpu ? -1 : Number(key) },
				{ history: "push" });
		} else {
			this.show({ task: key === state.task ? "" : key }, { history: "push" });
		}
	}

	controls() {
		const { state, event } = this;
		for (const id of ["callees", "callers", "sandwich"])
			$(id).setAttribute("aria-pressed", String(state.view === id));
		for (const id of ["icicle", "flame"])
			$(id).setAttribute("aria-pressed", String(state.shape === id));
		for (const id of ["weight", "time"])
			$(id).setAttribute("aria-pressed", String(state.order === id));
		$("shapes").hidden = state.view === "sandwich";
		$("orders").hidden = state.view !== "callees" || !event.isTimed || Boolean(event.old);
		$("color").value = state.color;
		$("group").value = state.group;
		$("collapse").checked = state.collapse === "yes";
		$("idle").hidden = !event.hasIdle;
		$("idle").setAttribute("aria-pressed", String(state.idle === "hide"));
		const f = this.target;
		$("actions").hidden = f < 0;
		$("to-sandwich").hidden = state.view === "sandwich";
		$("show-code").hidden = !this.profile.code.of(f);
		$("hide-binary").hidden = f < 0 || this.profile.frames.dso(f) === "";
		if (document.activeElement !== $("search") || state.search === "")
			$("search").value = state.search;
		this.choosers.update(state, event, this.axis);
		if (this.comparison)
			this.comparison.update(state, event);
	}

	/* The function that actions are about: the selected one, or that of the zoom; -1: none. */
	get target() {
		const { select, zoom } = this.state, f = select >= 0 ? select : this.tree.frame[zoom];
		return f >= 0 && f < this.profile.frames.recorded && !this.profile.frames.isTask(f) ? f : -1;
	}

	find() {
		this.search = new Search(this.state.search);
		this.places = [];
		this.flame.wanted = this.upper.wanted = null;
		if (this.search.active) {
			const wanted = this.search.frames(this.profile.frames);
			this.found = this.tree.match(wanted);
			this.flame.wanted = this.upper.wanted = wanted;
			this.places = this.found.outermost;
		}
		$("matched").title = this.search.error;
		$("search").setAttribute("aria-invalid", String(this.search.error !== "" && this.search.active));
	}

	/* The sums of the matches, of the whole profile and of the zoomed node. */
	matched() {
		const { tree, found } = this, zoom = this.state.zoom;
		let text = "";
		if (this.search.active) {
			text = this.places.length === 0 ? "no match" :
			       percent(found.weight, tree.total[0]) + " matched";
			if (zoom > 0 && this.places.length > 0) {
				const here = tree.matchWithin(zoom, this.flame.wanted);
				text += here > 0 ? ", " + percent(here, tree.total[zoom]) + " here" : ", none here";
			}
		}
		$("matched").textContent = text;
		$("limited").hidden = !tree.limited;
		$("limited").textContent = tree.ordered ?
			"There are more stacks than can be shown in order of time: select a shorter range." :
			"The outermost callers of deep stacks are left out: with them the tree is too large to show.";
	}

	zoom(node) {
		if (node === this.state.zoom && !this.flame.isAtZoom)   /* the wheel has shown another part */
			this.flame.zoomTo(node, true);
		if (node === 0 && !this.isUpperWhole)
			this.upper.zoomTo(0, true);
		const frame = this.tree.frame[node], { select, view } = this.state;
		this.show({ zoom: node, select: select >= 0 && node > 0 && view !== "sandwich" ? frame : select },
			{ history: "push" });
	}

	/* Whether the callers of a sandwich, which the address does not tell, fill their width. */
	get isUpperWhole() {
		return this.state.view !== "sandwich" || (this.upper.zoom === 0 && this.upper.isAtZoom);
	}

	select(frame) {
		if (this.state.view === "sandwich" && frame < 0)
			return;
		this.show({ select: frame }, { history: this.state.view === "sandwich" ? "push" : "replace" });
	}

	/* Zooms to the next or previous node of a function or of a match, heaviest first. */
	focusFunction(frame, step) {
		let places = this.places;
		if (this.state.view === "sandwich" && frame >= 0) {
			this.select(frame);
			return;
		}
		if (frame >= 0) {
			const wanted = new Uint8Array(this.profile.frames.n);
			wanted[frame] = 1;
			places = this.tree.match(wanted).outermost;
		}
		if (places.length === 0)
			return;
		const at = places.indexOf(this.state.zoom);
		const to = at < 0 ? 0 : (at + step + places.length) % places.length;
		this.show({ zoom: places[to], select: frame }, { history: "push" });
	}

	/* Leaves out a function, or all of its binary. */
	hide(binary) {
		const f = this.target, { hide } = this.state;
		if (f < 0 || (binary && this.profile.frames.dso(f) === ""))
			return;
		const word = binary ? "d" + this.profile.frames.dsoIndex[f] : String(f);
		this.show({ hide: [...new Set(hide.split(".").filter(w => w !== "")).add(word)].join("."), select: -1,
			    view: this.state.view === "sandwich" ? "callees" : this.state.view }, { history: "push" });
	}

	toSandwich() {
		this.show({ view: "sandwich", select: this.target }, { history: "push" });
	}

	legend() {
		const { palette } = this;
		showLegend($("legend"), palette.by === "change" ? palette.changeLegend() : palette.legend(this.stats),
			   this.event.weight, this.state.search, search => this.show({ search }));
	}

	/* What the colours of the time axis mean, and how long what is chosen was in each state. */
	schedLegend() {
		const { profile: { sched, threads }, axis, state, event, palette } = this;
		$("states").hidden = !sched || !event.isTimed || state.tracks === "heat";
		if ($("states").hidden)
			return;
		const { range } = event.selection;
		const span = range ? { from: range.from, to: range.to + 1 } : { from: 0, to: axis.end };
		const chosen = chosenStates(sched, threads, state, span);
		const whole = chosen ? chosen.numbers.length * (span.to - span.from) : 0;
		const rows = schedLegend(palette, sched, chosen);
		$("states").hidden = rows.length === 0;
		showLegend($("states"), rows, whole, "", null,
			   steps => percent(steps, whole) + " = " + duration(steps * axis.stepNs));
	}

	toggleIdle() {
		if (this.event.hasIdle)
			this.show({ idle: this.state.idle === "hide" ? "show" : "hide" });
	}

	recolor() {
		this.palette.read();
		this.legend();
		this.schedLegend();
		this.flame.queue();
		this.upper.queue();
		this.timeline.recolor();
	}

	/* One step back: selection, search, zoom level by level, range. */
	escape() {
		const { select, search, zoom, range, view } = this.state;
		if (select >= 0 && view !== "sandwich")
			this.show({ select: -1 });
		else if (search !== "")
			this.show({ search: "" });
		else if (!this.isUpperWhole)
			this.upper.zoomTo(0, true);
		else if (zoom > 0 || !this.flame.isAtZoom)
			this.zoom(this.flame.isAtZoom ? this.outer(zoom) : zoom);
		else if (view === "sandwich")
			this.show({ view: "callees" });
		else if (range !== "")
			this.show({ range: "" }, { history: "push" });
	}

	/* The closest wider ancestor: chains of equal width look the same. */
	outer(node) {
		const { parent, total } = this.tree;
		let to = parent[node];
		while (to > 0 && total[to] <= total[node])
			to = parent[to];
		return to;
	}
}
