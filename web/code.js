/* SPDX-License-Identifier: MIT */
/* The code of a function: its instructions with their samples, and the lines of the source between them. */

const INSTRUCTION = 2;   /* the kinds of rows are those of enum sonde_annotation_kind */
const SOURCE_LINE = 1;

/* The functions whose code is in the page; src/export/page/code.h describes their layout. */
class CodeBook {
	constructor(list) {
		this.ofFrame = new Map();
		for (const code of list)
			this.ofFrame.set(code.frames[0], code);   /* the function itself */
		for (const code of list)
			for (const frame of code.frames)
				if (!this.ofFrame.has(frame))
					this.ofFrame.set(frame, code);
	}

	/* null: the page does not have it. */
	of(frame) {
		return this.ofFrame.get(frame) || null;
	}
}

/* Samples and weight of each row for one event; an event without weights of its own counts samples. */
function codeWeights(code, event) {
	const column = code.events.indexOf(event);
	const weights = new Map(), counts = new Map();
	for (const [row, at, samples, period] of code.samples)
		if (at === column) {
			weights.set(row, period);
			counts.set(row, samples);
		}
	const whole = [...weights.values()].reduce((sum, w) => sum + w, 0);
	return { weights: whole > 0 ? weights : counts, counts };
}

function codeArrow(code, row) {
	const target = code.target[row] - 1;
	return target < 0 ? "" : target > row ? "↓ " : "↑ ";
}

/**
 * Fills an element with the code of a function.
 * @param {HTMLElement} element
 * @param {any} code of a CodeBook
 * @param {number} event its number
 */
function showCode(element, code, event) {
	const { weights, counts } = codeWeights(code, event);
	const whole = [...weights.values()].reduce((sum, w) => sum + w, 0);
	const most = Math.max(0, ...weights.values());
	const start = BigInt("0x" + code.start);
	const table = document.createElement("table"), body = table.createTBody();
	table.className = "code";
	table.createTHead().append(codeRow(["Share", "Address", "Instruction"], "th"));
	let hottest = null;
	for (const [row, at] of code.at.entries()) {
		const isInstruction = code.kind[row] === INSTRUCTION, weight = weights.get(row);
		const place = isInstruction ? (start + BigInt(at)).toString(16) :
			code.kind[row] === SOURCE_LINE ? String(code.line[row]) : "";
		const text = (isInstruction ? codeArrow(code, row) : "") + visible(code.text[row]);
		const line = codeRow([weight ? percent(weight, whole) : "", place, text], "td");
		line.classList.toggle("source", !isInstruction);
		if (code.kind[row] === SOURCE_LINE && code.file[row])
			line.title = visible(code.files[code.file[row] - 1]) + ":" + code.line[row];
		if (weight) {
			const heat = line.cells[0];
			heat.title = plural(counts.get(row), "sample");
			heat.style.backgroundSize = 100 * weight / most + "% 100%";
			if (weight === most && !hottest)
				hottest = line;
		}
		if (code.target[row])
			codeLink(line, body, code.target[row] - 1);
		body.append(line);
	}
	const about = textElement("p", plural([...counts.values()].reduce((sum, n) => sum + n, 0), "sample") +
		" · code from " + visible(code.from));
	const name = textElement("h2", visible(code.name));
	element.replaceChildren(name, about, ...code.notes.map(note => textElement("p", visible(note))), table);
	if (hottest)
		hottest.scrollIntoView({ block: "center" });
}

function codeRow(texts, tag) {
	const line = document.createElement("tr");
	line.append(...texts.map(text => textElement(tag, text)));
	return line;
}

/* A click on a jump goes to its target. */
function codeLink(line, body, target) {
	const button = textElement("button", line.cells[2].textContent);
	button.setAttribute("type", "button");
	button.addEventListener("click", () => {
		const to = body.rows[target];
		for (const marked of body.querySelectorAll(".target"))
			marked.classList.remove("target");
		to.classList.add("target");
		to.scrollIntoView({ block: "center" });
	});
	line.cells[2].replaceChildren(button);
}
