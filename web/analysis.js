// SPDX-License-Identifier: MIT
// analysis.js - the tables of an analysis: a click on a head orders the rows, words in the field choose them

/** The value by which a cell is ordered: its number where it has one, else its text; undefined: it is not known. */
function analysisValue(/** @type {HTMLTableCellElement} */ cell) {
	const value = cell.dataset.v;

	return value !== undefined ? Number(value) : cell.textContent || undefined;
}

/** Unknown values come last, whichever way the rows are ordered. */
function analysisCompare(/** @type {any} */ a, /** @type {any} */ b, /** @type {boolean} */ descending) {
	if (a === undefined || b === undefined)
		return a === b ? 0 : a === undefined ? 1 : -1;
	const order = a < b ? -1 : a > b ? 1 : 0;

	return descending ? -order : order;
}

function analysisSort(/** @type {HTMLTableElement} */ table, /** @type {HTMLTableCellElement} */ head) {
	const descending = head.getAttribute('aria-sort') !== 'descending' && !head.classList.contains('text') ||
		head.getAttribute('aria-sort') === 'ascending';
	const rows = [...table.tBodies[0].rows];
	const values = new Map(rows.map(row => [row, analysisValue(row.cells[head.cellIndex])]));

	rows.sort((a, b) => analysisCompare(values.get(a), values.get(b), descending));
	table.tBodies[0].append(...rows);
	for (const other of table.tHead.rows[0].cells)
		other.removeAttribute('aria-sort');
	head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
}

/** Rows that have each of the words, in any column and case. */
function analysisMatches(/** @type {string} */ text, /** @type {string} */ words) {
	const lower = text.toLowerCase();

	return words.toLowerCase().split(/\s+/).every(word => lower.includes(word));
}

function analysisBegin() {
	for (const section of document.querySelectorAll('section')) {
		const table = section.querySelector('table'), field = section.querySelector('input');

		for (const head of table.tHead.rows[0].cells)
			head.querySelector('button').addEventListener('click', () => analysisSort(table, head));
		field.addEventListener('input', () => {
			for (const row of table.tBodies[0].rows)
				row.hidden = !analysisMatches([...row.cells].map(c => c.textContent).join(' '),
					field.value);
		});
	}
}

if (typeof document !== 'undefined')
	analysisBegin();
