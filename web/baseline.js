/* SPDX-License-Identifier: MIT */
/* The older recording that a page compares with. Its samples are cells of the events, beside those of the newer one. */

/** The name of an event without modifiers: "cycles:u" is cycles. */
function plainEvent(name) {
	return name.replace(/:[ukhGHpPSDWeI]*$/, "");
}

/**
 * A shape that has the stacks of two, and the cells of the second one after those of the first one.
 * @param {Shape} own
 * @param {Shape} old
 */
function joined(own, old, nrFrames) {
	const trie = new Trie(nrFrames);
	const cells = ({ tree: { parent, frame }, nodeOf }) => {
		const to = new Int32Array(parent.length);
		for (let i = 1; i < parent.length; i++)
			to[i] = trie.node(to[parent[i]], frame[i]);
		return Array.from(nodeOf, node => to[node]);
	};
	const nodeOf = Int32Array.from([...cells(own), ...cells(old)]);
	return new Shape(trie.tree(), nodeOf);
}

class Baseline {
	/**
	 * @param {any} block
	 * @param {Columns} columns
	 * @param {Frames} frames of the page
	 * @param {Threads} threads of the page
	 */
	constructor(block, columns, frames, threads) {
		const strings = block.strings.map(visible), tasks = columns.take(block.columns);
		this.title = oneLine(block.title);
		this.info = block.info.map(([name, value]) => [name, oneLine(value)]);
		this.losses = block.losses.map(visible);
		this.frameOf = pairFrames(frames, new Frames(block.frames, strings));   /* "own" and "old" */
		this.firstTask = threads.addNames(Array.from(tasks.values("comm"), s => strings[s]));
		this.events = block.events.map(e =>
			({ name: visible(e.name), notes: e.notes.map(visible), columns: columns.take(e.columns) }));
	}

	/** The event of that name; one that differs only in its modifiers will do. */
	event(name) {
		return this.events.find(e => e.name === name) ||
			this.events.find(e => plainEvent(e.name) === plainEvent(name)) ||
			{ name: "", notes: ["there are no samples of this event."],
			  columns: { length: () => 0, values: () => new Uint32Array(0) } };
	}
}

/**
 * How far a weight has changed, from -1 (gone) over 0 (the same) to 1 (new).
 * @param {number} own @param {number} old in the same unit
 */
function change(own, old) {
	const most = Math.max(own, old);
	return most > 0 ? (own - old) / most : 0;
}

/** "1.25×", of shares or weights. */
function ratioText(own, old) {
	if (!(old > 0))
		return own > 0 ? "new" : "–";
	return own > 0 ? (own / old).toPrecision(3) + "×" : "gone";
}

/** "+1.25" points of percent. */
function pointsText(difference) {
	const points = (100 * difference).toFixed(2);
	return (difference > 0 ? "+" : "") + points.replace(/^-0\.00$/, "0.00").replace("-", "−");
}
