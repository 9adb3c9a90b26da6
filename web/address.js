/* SPDX-License-Identifier: MIT */
/* The state of the page in the fragment of its address: "#event=1&view=callers&zoom=42". Defaults are left out. */

const DEFAULTS = {
	event: 0, view: "callees", shape: "icicle", order: "weight", color: "dso", search: "", idle: "show", zoom: 0,
	select: -1, sort: "-self",
	measure: "self", scale: "share", widths: "new", only: "",  /* of a comparison */
	range: "", at: "", tracks: "threads", task: "", cpu: -1,   /* range, at: two times, "12-345" */
	group: "name", collapse: "no", hide: "",                   /* hide: frames, and binaries as "d" and a number */
};
const CHOICES = {
	view: ["callees", "callers", "sandwich"], shape: ["icicle", "flame"], order: ["weight", "time"],
	color: ["dso", "kind", "change"], idle: ["show", "hide"], tracks: ["threads", "cpus", "heat"],
	group: ["name", "thread", "all"], collapse: ["no", "yes"],
	sort: ["self", "total", "symbol", "dso", "before", "own", "diff", "ratio"].flatMap(key => [key, "-" + key]),
	measure: ["self", "total"], scale: ["share", "absolute"], widths: ["new", "old"], only: ["", "new", "gone"],
};
const PATTERNS = {
	range: /^\d{1,9}-\d{1,9}$/, at: /^\d{1,9}-\d{1,9}$/, task: /^-?\d{1,10}(\/-?\d{1,10})?(@\d{1,9})?$/,
	hide: /^d?\d{1,9}(\.d?\d{1,9}){0,99}$/,
};

/* A comparison begins with what has changed. */
function compareByDefault() {
	DEFAULTS.color = "change";
	DEFAULTS.sort = "-diff";
}

function addressOf(state) {
	const params = new URLSearchParams();
	for (const key of Object.keys(DEFAULTS))
		if (state[key] !== DEFAULTS[key])
			params.set(key, state[key]);
	return "#" + params;
}

/* Wrong values become the default: people edit addresses, cut them, and open them with other recordings. */
function stateOf(address) {
	const params = new URLSearchParams(address.replace(/^#/, ""));
	const state = { ...DEFAULTS };
	for (const key of Object.keys(DEFAULTS)) {
		const text = params.get(key);
		if (text === null)
			continue;
		if (key === "search")
			state.search = text.slice(0, 200);
		else if (CHOICES[key])
			state[key] = CHOICES[key].includes(text) ? text : DEFAULTS[key];
		else if (PATTERNS[key])
			state[key] = PATTERNS[key].test(text) ? text : DEFAULTS[key];
		else if (/^\d{1,9}$/.test(text))
			state[key] = Number(text);
	}
	return state;
}

/* "12-345" as a range; null for "" and for one that ends before it begins. */
function rangeOf(text) {
	const [from, to] = text.split("-").map(Number);
	return text !== "" && from <= to ? { from, to } : null;
}
