/* SPDX-License-Identifier: MIT */
/* What the colours of the graph mean, and how much of the weight has each. */

/** @typedef {[colour: string, text: string, weight: number, query: string | null]} LegendRow */

/**
 * @param {HTMLElement} place
 * @param {LegendRow[]} rows
 * @param {number} whole
 * @param {string} search that is shown
 * @param {(search: string) => void} show
 * @param {(weight: number) => string} words for a weight
 */
function showLegend(place, rows, whole, search, show, words = weight => percent(weight, whole)) {
	place.replaceChildren(...rows.map(([color, text, weight, query]) => {
		const item = document.createElement(query ? "button" : "span");
		const swatch = document.createElement("i");
		swatch.style.background = color;
		swatch.hidden = color === "transparent";
		item.append(swatch, textElement("span", text));
		if (weight > 0)
			item.append(textElement("small", words(weight)));
		item.className = "chip";
		if (item instanceof HTMLButtonElement) {
			item.type = "button";
			item.title = "Highlight " + text;
			item.setAttribute("aria-pressed", String(search === query));
			item.addEventListener("click", () => show(search === query ? "" : query));
		}
		return item;
	}));
}
