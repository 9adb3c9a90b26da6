/* SPDX-License-Identifier: MIT */
/* The keys of the page, as the help lists them. */

/**
 * What the help says of keys, and what each one does; null: a view in focus has the key. `...` is code.
 * @type {[help: string, keys: {[key: string]: ((app: App) => void) | null}][]}
 */
const KEYS = [
	["search; `dso:libc` searches the binaries", { "/": () => { $("search").focus(); $("search").select(); } }],
	["move in the graph or in the table", { "←": null, "→": null, "↑": null, "↓": null }],
	["zoom to the block; in the table: to the function's next place in the graph", { Enter: null }],
	["one step back: selection, search, zoom, sandwich, range", { Esc: null }],
	["next, previous place of the selected function or of the search", {
		n: app => app.focusFunction(app.state.select, 1),
		p: app => app.focusFunction(app.state.select, -1),
	}],
	["to the graph, to the table", { g: () => $("canvas").focus(), t: () => $("table").focus() }],
	["callees or callers", { i: app => app.show({ view: app.state.view === "callees" ? "callers" : "callees" }) }],
	["icicle or flame", { f: app => app.show({ shape: app.state.shape === "icicle" ? "flame" : "icicle" }) }],
	["hide or show idle CPUs", { h: app => app.toggleIdle() }],
	["whole graph", { 0: app => app.zoom(0) }],
	["to the time axis: `Space` selects, `←` `→` move, `+` `-` zoom", { a: () => $("axis").focus() }],
	["sandwich: callers and callees of the selected function", { s: app => app.toSandwich() }],
	["heaviest on the left, or order of time", {
		o: app => app.show({ order: app.state.order === "time" ? "weight" : "time" }),
	}],
	["code of the selected function, in a page made with `--source`", { c: app => openCode(app) }],
	["hide the selected function, its binary", { x: app => app.hide(false), X: app => app.hide(true) }],
	["collapse recursion", {
		r: app => app.show({ collapse: app.state.collapse === "yes" ? "no" : "yes" }, { history: "push" }),
	}],
	["undo: the view before (as Back)", { u: () => window.history.back() }],
	["this help", { "?": () => $("help").showModal() }],
];
const COMMANDS = new Map(KEYS.flatMap(([, keys]) => Object.entries(keys)));

/* Whether the key is one of the page's. */
function command(app, key) {
	const run = COMMANDS.get(key);
	if (run)
		run(app);
	return Boolean(run);
}

function listKeys(list) {
	list.replaceChildren(...KEYS.flatMap(([help, keys]) => {
		const names = textElement("dt", ""), text = textElement("dd", "");
		names.append(...Object.keys(keys).flatMap(key => [textElement("kbd", key), " "]));
		text.append(...help.split("`").map((part, i) => i % 2 ? textElement("code", part) : part));
		return [names, text];
	}));
}
