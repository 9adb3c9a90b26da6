/* SPDX-License-Identifier: MIT */
/* The older recording that a page compares with. Its samples are cells of the events, beside those of the newer one. */

/** The keys by which frames of two recordings are paired, the surest first. @param {Frames} frames */
function frameKeys(frames, f) {
	const name = "\0" + frames.symbol(f), kind = frames.kindName(f), id = frames.buildId(f), dso = frames.dso(f);
	if (frames.isTask(f) || kind === "jit")   /* code made at run time is in another file each time */
		return [kind + name];
	const keys = id === "" ? [] : ["id " + id + name];
	if (kind !== "unknown" || id === "")      /* an address means nothing in another build */
		keys.push("path " + dso + name);
	if (kind !== "unknown")
		keys.push("file " + binaryName(dso) + name);
	return keys;
}

/**
 * By frame of the baseline, its number among the frames of the page. Frames that only the baseline has are added.
 * @param {Frames} frames
 * @param {Frames} old
 */
function pairFrames(frames, old) {
	const known = new Map(), strings = new Map();
	for (let f = frames.n - 1; f >= 0; f--)   /* of several with the key, the first one is taken */
		for (const key of frameKeys(frames, f))
			known.set(key, f);
	frames.strings.forEach((text, i) => strings.set(text, i));
	const string = text => {
		if (!strings.has(text))
			strings.set(text, frames.strings.push(text) - 1);
		return strings.get(text);
	};
	return Int32Array.from({ length: old.n }, (_, f) => {
		const key = frameKeys(old, f).find(key => known.has(key));
		return key !== undefined ? known.get(key) :
			frames.addRecorded(string(old.symbol(f)), string(old.dso(f)), old.kind[f]);
	});
}

/** The name of an event without modifiers: "cycles:u" is cycles. */
function plainEvent(name) {
	return name.replace(/:[ukhGHpPSDWeI]*$/, "");
}

/**
 * Adds the cells of a baseline to a shape: the tree has the stacks of both.
 * @param {Shape} shape
 * @param {{parent: Int32Array, frame: Int32Array}} tree of the baseline
 * @param {Int32Array} nodeOf by cell of the baseline
 */
function joined(shape, tree, nodeOf, nrFrames) {
	const trie = new Trie(nrFrames);
	const added = ({ parent, frame }) => {
		const to = new Int32Array(parent.length);
		for (let i = 1; i < parent.length; i++)
			to[i] = trie.node(to[parent[i]], frame[i]);
		return to;
	};
	const own = added(shape.tree), old = added(tree), n = shape.nodeOf.length;
	const all = new Int32Array(n + nodeOf.length);
	for (let c = 0; c < all.length; c++)
		all[c] = c < n ? own[shape.nodeOf[c]] : old[nodeOf[c - n]];
	return new Shape(trie.tree(), all);
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
		this.title = visible(block.title);
		this.info = block.info.map(([name, value]) => [name, visible(value)]);
		this.losses = block.losses.map(visible);
		this.frameOf = pairFrames(frames, new Frames(block.frames, strings));
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
