/* SPDX-License-Identifier: MIT */
/* The page: one state, which the graph, the table and the controls show; every change of it goes through show(). */

const $ = id => document.getElementById(id);

class App {
	constructor(profile) {
		this.profile = profile;
		this.state = null;
		this.search = new Search("");
		this.describe();
		if (!profile.events.some(e => e.tree("callees").n > 1)) {
			document.body.classList.add("is-empty");
			$("empty").hidden = false;
			return;
		}
		this.palette = new Palette(profile.frames);
		this.flame = new Flame($("canvas"), profile.frames, this.palette, {
			zoom: node => this.zoom(node),
			hover: (rect, x, y) => this.hover(rect, x, y),
			cursor: node => this.detail(node),
		});
		this.table = new FunctionTable($("table"), profile.frames, {
			select: (f, toggle) => this.show({ select: toggle && f === this.state.select ? -1 : f }),
			focus: f => this.focusFunction(f, 1),
			sort: () => this.show({ sort: (this.table.descending ? "-" : "") + this.table.key }),
		});
		this.listen();
		const state = stateOf(location.hash);
		if (!location.hash.includes("event="))
			state.event = Math.max(0, profile.events.findIndex(e => e.tree("callees").n > 1));
		this.show(state, { history: "replace", animate: false });
	}

	/* Header and notes, which never change. */
	describe() {
		const { info, losses, events } = this.profile;
		/* the directory on the recorder's machine means nothing here */
		const title = this.profile.title.replace(/^\.{0,2}\/(\S*\/)?/, "");
		$("title").textContent = title || "sonde report";
		$("title").title = this.profile.title;
		document.title = (title || "report") + " – sonde";
		$("info").replaceChildren(...info.flatMap(([name, value]) => {
			const dt = document.createElement("dt"), dd = document.createElement("dd");
			dt.textContent = name;
			dd.textContent = value;
			return [dt, dd];
		}));
		$("about").hidden = info.length === 0;
		if (losses.length > 0) {
			$("losses").hidden = false;
			$("losses-summary").textContent = "Incomplete: " + losses[0] +
				(losses.length === 1 ? "" : " – and " + plural(losses.length - 1, "more note"));
			$("losses-list").replaceChildren(...losses.map(text => {
				const li = document.createElement("li");
				li.textContent = text;
				return li;
			}));
			$("losses").classList.toggle("single", losses.length === 1);
		}
		$("event").replaceChildren(...events.map((e, i) => new Option(e.name, i)));
		$("event-label").hidden = events.length < 2;
	}

	get event() {
		return this.profile.events[this.state.event];
	}

	get tree() {
		return this.event.tree(this.state.view);
	}

	/* Applies a change of state; history: "push" makes a step that the browser's Back undoes. */
	show(change, { history = "replace", animate = true } = {}) {
		const before = this.state;
		const state = this.state = { ...before, ...change };
		const differs = (...keys) => !before || keys.some(k => before[k] !== state[k]);

		if (state.event >= this.profile.events.length)
			state.event = 0;
		if (state.select >= this.profile.frames.n)
			state.select = -1;
		if (differs("event", "idle")) {
			this.event.hideIdle(state.idle === "hide");
			this.palette.rank(this.event.functions());
			this.table.setEvent(this.event);
			this.summarize();
		}
		this.palette.by = state.color;
		this.flame.rising = state.shape === "flame";
		if (differs("event", "view", "idle")) {
			if (before && before.zoom === state.zoom)
				state.zoom = 0;
			this.flame.setTree(this.tree);
		}
		if (state.zoom >= this.tree.n || !(this.tree.total[state.zoom] > 0))
			state.zoom = 0;
		if (differs("event", "view", "idle", "search"))
			this.find();
		if (differs("sort"))
			this.table.setSort(state.sort.replace("-", ""), state.sort.startsWith("-"));
		this.flame.selected = state.select;
		if (differs("select", "search", "sort", "event", "idle"))
			this.table.setSelected(state.select);
		if (differs("shape")) {
			this.flame.layout();
			this.flame.reveal(state.zoom, true);
		}
		if (differs("zoom", "event", "view", "idle"))
			this.flame.zoomTo(state.zoom, animate && !differs("event", "view", "idle"));
		this.controls();
		this.matched();
		this.crumbs();
		this.legend();
		this.detail(state.zoom);
		this.flame.queue();
		const address = addressOf(state);
		if (address !== (location.hash || "#"))
			window.history[history === "push" ? "pushState" : "replaceState"](null, "", address);
	}

	controls() {
		const { state } = this;
		for (const id of ["callees", "callers"])
			$(id).setAttribute("aria-pressed", state.view === id);
		for (const id of ["icicle", "flame"])
			$(id).setAttribute("aria-pressed", state.shape === id);
		$("event").value = state.event;
		$("color").value = state.color;
		$("idle").hidden = !(this.event.idle > 0);
		$("idle").setAttribute("aria-pressed", state.idle === "hide");
		if (document.activeElement !== $("search") || state.search === "")
			$("search").value = state.search;
	}

	/* CPU time counts every busy CPU; wall time is elapsed time. */
	summarize() {
		const { event } = this, tree = event.tree("callees"), idle = event.idle;
		const label = { ns: "CPU time ", "": "event count " }[event.unit] || "";
		const parts = [event.name, plural(tree.samples[0], "sample"), label + weightText(event, tree.total[0])];
		if (idle > 0)
			parts.push((event.idleHidden ? "idle, hidden: " : "of it idle: ") + weightText(event, idle));
		if (this.profile.wall > 0)
			parts.push("wall time " + duration(this.profile.wall));
		$("summary").textContent = parts.join(" · ");
		$("notes").replaceChildren(...event.notes.map(text => {
			const p = document.createElement("p");
			p.textContent = text;
			return p;
		}));
		$("notes").hidden = event.notes.length === 0;
	}

	find() {
		this.search = new Search(this.state.search);
		this.places = [];
		this.flame.wanted = null;
		if (this.search.active) {
			const wanted = this.search.frames(this.profile.frames);
			const found = this.tree.match(wanted);
			this.flame.wanted = wanted;
			this.places = found.outermost;
			this.found = found;
		}
		$("matched").title = this.search.error;
		$("search").setAttribute("aria-invalid", this.search.error !== "" && this.search.active);
		this.table.setWanted(this.flame.wanted);
	}

	/* The sums of the matches, of the whole profile and of the zoomed node. */
	matched() {
		const { tree, found } = this, zoom = this.state.zoom;
		let text = "";
		if (this.search.active) {
			text = this.places.length === 0 ? "no match" :
			       percent(found.weight, tree.total[0]) + " matched";
			if (zoom > 0 && this.places.length > 0)
				text += ", " + percent(tree.matchWithin(zoom, found), tree.total[zoom]) + " here";
		}
		$("matched").textContent = text;
		$("limited").hidden = !tree.limited;
	}

	zoom(node) {
		const frame = this.tree.frame[node];
		const select = this.state.select >= 0 && node > 0 ? frame : this.state.select;
		this.show({ zoom: node, select }, { history: "push" });
	}

	/* Zooms to the next or previous node of a function or of a match, heaviest first. */
	focusFunction(frame, step) {
		let places = this.places;
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

	crumbs() {
		const path = [0, ...this.tree.path(this.state.zoom)];
		/* A deep stack shows its ends: the outermost frames and the innermost ones. */
		const shown = path.length <= 6 ? path : [path[0], path[1], -1, ...path.slice(-3)];
		$("crumbs").replaceChildren(...shown.map((node, i) => {
			const last = i === shown.length - 1;
			const item = document.createElement(last || node < 0 ? "span" : "button");
			item.className = "crumb";
			item.textContent = node < 0 ? "… " + (path.length - 5) + " …" : this.flame.name(node);
			item.title = node < 0 ? "" : item.textContent;
			if (last)
				item.setAttribute("aria-current", "location");
			else if (node >= 0) {
				item.type = "button";
				item.addEventListener("click", () => this.zoom(node));
			}
			return item;
		}));
	}

	/* The properties of a node: [label, value] pairs. */
	facts(node) {
		const { tree, event, state } = this;
		const whole = tree.total[0], parent = tree.parent[node];
		const shareOf = weight => percent(weight, whole) + " = " + weightText(event, weight);
		const facts = [["Total", shareOf(tree.total[node])],
			["Samples", integer.format(tree.samples[node])]];
		if (state.view === "callees" && node > 0) {
			facts.push(["Self", shareOf(tree.self[node])]);
			facts.push(["Children", percent(tree.total[node] - tree.self[node], whole) + " = " +
				weightText(event, tree.total[node] - tree.self[node])]);
		}
		if (parent > 0)
			facts.push([state.view === "callees" ? "Of its caller" : "Of its callee",
				percent(tree.total[node], tree.total[parent])]);
		if (this.state.zoom > 0 && node !== state.zoom && tree.depth[node] > tree.depth[state.zoom])
			facts.push(["Of the zoom", percent(tree.total[node], tree.total[state.zoom])]);
		return facts;
	}

	place(node) {
		const frames = this.profile.frames, f = this.tree.frame[node];
		const kind = KIND_NAMES[frames.kindName(f)];
		const binary = binaryName(frames.dso(f)) === kind ? "" : frames.dso(f);
		return binary ? binary + " · " + kind : kind;
	}

	/* The line under the graph: for the keyboard, for screen readers, and for copying. */
	detail(node) {
		const name = document.createElement("b");
		name.textContent = this.flame.name(node);
		const parts = this.facts(node).map(([label, value]) => label + " " + value);
		if (node > 0)
			parts.unshift(this.place(node));
		$("detail").replaceChildren(name, ...parts.map(text => {
			const span = document.createElement("span");
			span.textContent = text;
			return span;
		}));
	}

	hover(rect, x, y) {
		const tip = $("tip");
		tip.hidden = !rect;
		if (!rect)
			return;
		const key = rect.node + "/" + rect.more;
		if (tip.dataset.key !== key)
			this.fillTip(tip, rect);
		tip.dataset.key = key;
		const box = tip.getBoundingClientRect();
		const left = x + 14 + box.width > innerWidth ? Math.max(4, x - 14 - box.width) : x + 14;
		const top = y + 18 + box.height > innerHeight ? Math.max(4, y - 12 - box.height) : y + 18;
		tip.style.left = left + "px";
		tip.style.top = top + "px";
	}

	fillTip(tip, rect) {
		const name = document.createElement("b"), where = document.createElement("p");
		const list = document.createElement("dl");
		tip.replaceChildren(name);
		if (rect.more) {
			name.textContent = plural(rect.more, "narrow block") + ": zoom in to see " +
					   (rect.more === 1 ? "it" : "them");
			return;
		}
		name.textContent = this.flame.name(rect.node);
		if (rect.node > 0) {
			where.textContent = this.place(rect.node);
			tip.append(where);
		}
		for (const [label, value] of this.facts(rect.node)) {
			const dt = document.createElement("dt"), dd = document.createElement("dd");
			dt.textContent = label;
			dd.textContent = value;
			list.append(dt, dd);
		}
		tip.append(list);
	}

	legend() {
		const stats = this.event.functions(), whole = this.event.tree("callees").total[0];
		const items = this.palette.legend(stats).map(([color, text, weight, query]) => {
			const item = document.createElement(query ? "button" : "span");
			const swatch = document.createElement("i");
			const name = document.createElement("span");
			swatch.style.background = color;
			name.textContent = text;
			item.append(swatch, name);
			if (weight > 0)
				item.append(Object.assign(document.createElement("small"),
							  { textContent: percent(weight, whole) }));
			item.className = "chip";
			if (query) {
				item.type = "button";
				item.title = "Highlight " + text;
				item.setAttribute("aria-pressed", this.state.search === query);
				item.addEventListener("click",
					() => this.show({ search: this.state.search === query ? "" : query }));
			}
			return item;
		});
		$("legend").replaceChildren(...items);
	}

	listen() {
		$("event").addEventListener("change", e => this.show({ event: Number(e.target.value) }));
		$("color").addEventListener("change", e => this.show({ color: e.target.value }));
		for (const view of ["callees", "callers"])
			$(view).addEventListener("click", () => this.show({ view }));
		for (const shape of ["icicle", "flame"])
			$(shape).addEventListener("click", () => this.show({ shape }));
		$("idle").addEventListener("click", () => this.toggleIdle());
		$("search").addEventListener("input", () => {
			clearTimeout(this.typing);
			this.typing = setTimeout(() => this.show({ search: $("search").value.trim() }), 80);
		});
		$("help-button").addEventListener("click", () => $("help").showModal());
		window.addEventListener("popstate", () => this.show(stateOf(location.hash)));
		window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
		$("canvas").addEventListener("focus", () => this.flame.queue());
		$("canvas").addEventListener("blur", () => this.flame.queue());
		document.addEventListener("keydown", e => this.keydown(e));
		this.listenSplitter();
	}

	toggleIdle() {
		if (this.event.idle > 0)
			this.show({ idle: this.state.idle === "hide" ? "show" : "hide" });
	}

	recolor() {
		this.palette.read();
		this.legend();
		this.flame.queue();
	}

	listenSplitter() {
		const splitter = $("splitter");
		const set = share => {
			share = Math.min(80, Math.max(20, share));
			document.documentElement.style.setProperty("--table-share", share + "%");
			splitter.setAttribute("aria-valuenow", Math.round(share));
		};
		set(38);
		splitter.addEventListener("pointerdown", e => splitter.setPointerCapture(e.pointerId));
		splitter.addEventListener("pointermove", e => {
			if (splitter.hasPointerCapture(e.pointerId))
				set(100 * (innerWidth - e.clientX) / innerWidth);
		});
		splitter.addEventListener("keydown", e => {
			const step = { ArrowLeft: 2, ArrowRight: -2 }[e.key];
			if (!step)
				return;
			set(Number(splitter.getAttribute("aria-valuenow")) + step);
			e.preventDefault();
			e.stopPropagation();
		});
	}

	/* One step back: selection, search, then zoom, level by level. */
	escape() {
		if (this.state.select >= 0)
			this.show({ select: -1 });
		else if (this.state.search !== "")
			this.show({ search: "" });
		else if (this.state.zoom > 0)
			this.zoom(this.outer(this.state.zoom));
	}

	/* The closest wider ancestor: chains of equal width look the same. */
	outer(node) {
		const { parent, total } = this.tree;
		let to = parent[node];
		while (to > 0 && total[to] <= total[node])
			to = parent[to];
		return to;
	}

	keydown(e) {
		const typing = e.target === $("search");
		if ($("help").open || e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key === "Escape") {
			if (typing) {
				clearTimeout(this.typing);
				$("canvas").focus();
			}
			if (typing && $("search").value !== "")
				this.show({ search: "" });
			else
				this.escape();
		} else if (typing) {
			if (e.key !== "Enter")
				return;
			clearTimeout(this.typing);
			this.show({ search: $("search").value.trim() });
			$("table").focus();
		} else if (e.target.tagName === "SELECT") {
			return;
		} else if (e.target === $("canvas") && (this.flame.key(e.key) || e.key === "Enter")) {
			if (e.key === "Enter")
				this.zoom(this.flame.cursor);
		} else if (!this.command(e.key)) {
			return;
		}
		e.preventDefault();
	}

	command(key) {
		const { state } = this;
		const commands = {
			"/": () => { $("search").focus(); $("search").select(); },
			"?": () => $("help").showModal(),
			"0": () => this.zoom(0),
			n: () => this.focusFunction(state.select, 1),
			p: () => this.focusFunction(state.select, -1),
			g: () => $("canvas").focus(),
			t: () => $("table").focus(),
			i: () => this.show({ view: state.view === "callees" ? "callers" : "callees" }),
			f: () => this.show({ shape: state.shape === "icicle" ? "flame" : "icicle" }),
			h: () => this.toggleIdle(),
		};
		if (!Object.hasOwn(commands, key))
			return false;
		commands[key]();
		return true;
	}
}

const app = new App(new Profile(JSON.parse($("profile").textContent)));
