/* SPDX-License-Identifier: MIT */
/* The controls of a comparison of two recordings. */

const COMPARISON_CHOICES = { measure: ["self", "total"], scale: ["share", "absolute"], widths: ["new", "old"] };

class Comparison {
	/**
	 * @param {Baseline} baseline
	 * @param {(change: object) => void} show
	 */
	constructor(baseline, show) {
		this.baseline = baseline;
		for (const id of ["comparison", "by-change", "help-compared"])
			$(id).hidden = false;
		$("by-thread").hidden = $("by-thread").disabled = true;   /* threads have other numbers there */
		for (const [key, values] of Object.entries(COMPARISON_CHOICES))
			for (const value of values)
				$(key + "-" + value).addEventListener("click", () => show({ [key]: value }));
		for (const only of ["new", "gone"])
			$("only-" + only).addEventListener("click", () =>
				show({ only: $("only-" + only).getAttribute("aria-pressed") === "true" ? "" : only }));
	}

	/** @param {ProfileEvent} event */
	update(state, event) {
		const { old } = event, { title } = this.baseline;
		const samples = old.count === old.wholeCount ? plural(old.count, "sample") :
			integer.format(old.count) + " of " + plural(old.wholeCount, "sample");
		for (const [key, values] of Object.entries(COMPARISON_CHOICES))
			for (const value of values)
				$(key + "-" + value).setAttribute("aria-pressed", String(state[key] === value));
		for (const only of ["new", "gone"])
			$("only-" + only).setAttribute("aria-pressed", String(state.only === only));
		$("compared-with").textContent = "Baseline: " + [commandName(title), old.name, samples,
			weightText(event, old.weight)].filter(text => text !== "").join(" · ");
		$("compared-with").title = title;
	}
}
