/* SPDX-License-Identifier: MIT */
/* The state of the page in the fragment of its address: "#event=1&view=callers&zoom=42". Defaults are left out. */

const DEFAULTS = {
	event: 0, view: "callees", shape: "icicle", color: "dso", search: "", idle: "show", zoom: 0, select: -1,
	sort: "-self",
};
const CHOICES = {
	view: ["callees", "callers"], shape: ["icicle", "flame"], color: ["dso", "kind"], idle: ["show", "hide"],
	sort: ["self", "-self", "total", "-total", "symbol", "-symbol", "dso", "-dso"],
};

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
		else if (/^\d{1,9}$/.test(text))
			state[key] = Number(text);
	}
	return state;
}
