/* SPDX-License-Identifier: MIT */
/* Tracepoints without stacks: the values of their fields, the times between them, and who tells more. */

/** @typedef {[name: string, distinct: number, values: [string, number][]]} FieldRow */

const GAP_NAMES = ["shortest", "median", "90 %", "99 %", "longest"];

/** "49 gaps: shortest 17.9 µs · median …"; "": there are none. @param {number[] | null} gaps as the page has them */
function gapsText(gaps) {
	if (!gaps)
		return "";
	const [count, ...times] = gaps;
	return plural(count, "gap") + ": " + times.map((ns, i) => GAP_NAMES[i] + " " + duration(ns)).join(" · ");
}

/** A field as a table of its values, the most frequent first. @param {FieldRow} field @param {number} counted */
function fieldTable([name, distinct, values], counted) {
	const table = document.createElement("table"), caption = textElement("caption", name);
	const others = counted - values.reduce((sum, [, count]) => sum + count, 0);
	/** @type {[string, number][]} */
	const rows = values.map(([text, count]) => [text === "" ? "(empty)" : text, count]);
	if (others > 0)
		rows.push([distinct > values.length ? plural(distinct - values.length, "other value") :
			"no value", others]);
	caption.append(textElement("small", plural(distinct, "value")));
	for (const [text, count] of rows) {
		const tr = document.createElement("tr"), value = textElement("td", text);
		const number = textElement("td", integer.format(count));
		const share = textElement("td", percent(count, counted));
		value.title = text;
		number.className = "number";
		share.className = "number";
		share.style.setProperty("--share", counted > 0 ? 100 * count / counted + "%" : "0%");
		tr.append(value, number, share);
		table.append(tr);
	}
	table.prepend(caption);
	return table;
}

/** A sentence in which `...` is code. */
function sentence(text) {
	const p = document.createElement("p");
	p.append(...text.split("`").map((part, i) => i % 2 ? textElement("code", part) : part));
	return p;
}

/**
 * @param {HTMLElement} place for tables
 * @param {HTMLElement} notesPlace for sentences
 * @param {ProfileEvent} event
 * @returns {boolean} whether there is something to show
 */
function showFields(place, notesPlace, event) {
	const { fields, counted, gaps, wholeCount, name } = event, notes = [];
	notesPlace.hidden = fields.length === 0 && !gaps;
	place.hidden = fields.length === 0;
	if (notesPlace.hidden)
		return false;
	const heading = textElement("h2", "Fields of " + name), tables = document.createElement("div");
	notes.push(sentence("Recorded without stacks: the graph has the task and the place of the event alone. " +
		"`sonde script` prints each event, `sonde report --stdio --event " + name +
		" --sort trace_fields` counts combinations of values; recorded with `-g` (with `--ftrace`: `-T`), " +
		"events have their callers."));
	if (gaps)
		notes.push(sentence("Time from one to the next: " + gapsText(gaps) + "."));
	notes.push(sentence("Of the whole recording, " + (counted > 0 && counted < wholeCount ? "the first " +
		integer.format(counted) + " of " : "") + plural(wholeCount, "event") +
		"; a selection does not change these numbers."));
	tables.className = "fields";
	tables.append(...fields.map(field => fieldTable(field, counted)));
	place.replaceChildren(heading, tables);
	notesPlace.replaceChildren(...notes);
	return true;
}
