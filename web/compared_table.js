/* SPDX-License-Identifier: MIT */
/* The table of functions of a comparison: their weights in both recordings, and how they differ. */

const COMPARED_COLUMNS = [
	["before", "Baseline", "In the older recording"],
	["own", "New", "In the newer recording"],
	["diff", "Difference", "New less baseline: points of percent, or weight"],
	["ratio", "Ratio", "New divided by baseline"],
	["symbol", "Function", ""],
	["dso", "Binary", "The binary (dso) it is in"],
];

class ComparedTable extends FunctionTable {
	/** @param {any} state "measure": self or total; "scale": share or absolute; "only": new, gone or "" */
	setComparison(state) {
		this.measure = state.measure;
		this.isAbsolute = state.scale === "absolute";
		this.only = state.only;
	}

	/* The headings are made once. */
	static head(table) {
		table.classList.add("compared");
		table.tHead.rows[0].replaceChildren(...COMPARED_COLUMNS.map(([key, name, title]) => {
			const th = document.createElement("th"), button = textElement("button", name);
			th.scope = "col";
			th.dataset.key = key;
			button.setAttribute("type", "button");
			button.title = title;
			th.append(button);
			return th;
		}));
	}

	setFunctions(event, stats, whole, isPart) {
		super.setFunctions(event, stats, event.weight, isPart);
		const isSelf = this.measure === "self";
		const own = isSelf ? stats.self : stats.total, before = isSelf ? stats.otherSelf : stats.other;
		const scaled = (list, whole) => this.isAbsolute ? list : list.map(v => share(v, whole));
		this.own = scaled(own, event.weight);
		this.before = scaled(before, event.old.weight);
		this.mostDiff = this.nrNew = this.nrGone = 0;
		for (const f of this.all) {
			this.mostDiff = Math.max(this.mostDiff, Math.abs(this.own[f] - this.before[f]));
			this.nrNew += Number(this.isOnly("new", f));
			this.nrGone += Number(this.isOnly("gone", f));
		}
	}

	has(f) {
		return super.has(f) || this.stats.other[f] > 0;
	}

	/* Whether a function is in one recording only, on any stack. */
	isOnly(which, f) {
		const { total, other } = this.stats;
		return which === "new" ? total[f] > 0 && !(other[f] > 0) : other[f] > 0 && !(total[f] > 0);
	}

	isShown(f) {
		return super.isShown(f) && (this.only === "" || this.isOnly(this.only, f));
	}

	/* By difference: the largest changes in either direction. By ratio: from gone to new. */
	order() {
		const { own, before } = this;
		return {
			before: (a, b) => before[a] - before[b],
			own: (a, b) => own[a] - own[b],
			diff: (a, b) => Math.abs(own[a] - before[a]) - Math.abs(own[b] - before[b]),
			ratio: (a, b) => change(own[a], before[a]) - change(own[b], before[b]),
		}[this.key] || super.order();
	}

	isNumber(key) {
		return super.isNumber(key) || ["before", "own", "diff", "ratio"].includes(key);
	}

	text(value) {
		return this.isAbsolute ? weightText(this.event, value) : percent(value, 1);
	}

	cells(f) {
		const { own, before, frames } = this, difference = own[f] - before[f];
		const sign = difference > 0 ? "+" : difference < 0 ? "−" : "";
		const text = this.isAbsolute ? sign + weightText(this.event, Math.abs(difference)) :
			pointsText(difference);
		const diff = FunctionTable.cell("number diff " + (difference > 0 ? "more" : "less"), text, "");
		diff.style.setProperty("--share", this.mostDiff > 0 ?
			100 * Math.abs(difference) / this.mostDiff + "%" : "0%");
		return [FunctionTable.cell("number", this.text(before[f]), ""),
			FunctionTable.cell("number", this.text(own[f]), ""), diff,
			FunctionTable.cell("number", ratioText(own[f], before[f]), ""),
			FunctionTable.cell("symbol", frames.symbol(f), frames.symbol(f)),
			FunctionTable.cell("dso " + frames.kindName(f), frames.binary(f), frames.dso(f))];
	}

	get countText() {
		const { nrNew, nrGone } = this;
		return super.countText + ", " + integer.format(nrNew) + " new, " + integer.format(nrGone) + " gone";
	}
}
