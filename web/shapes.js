/* SPDX-License-Identifier: MIT */
/*
 * Shapes: the trees that an event can be shown as. A shape is a tree and, by cell, the node that takes the cell's
 * weight (-1: none). It depends on no weight, so that a selection of time only sums anew.
 */

const MOST_ORDERED = 1000000;

class Shape {
	/**
	 * @param {Tree} tree
	 * @param {Int32Array} nodeOf by cell
	 */
	constructor(tree, nodeOf) {
		this.tree = tree;
		this.nodeOf = nodeOf;
		this.fixed = false;   /* its weights are those of one selection */
	}

	/** Gives the tree the weights of cells. */
	weigh(weights, samples) {
		const { nodeOf, tree } = this;
		if (this.fixed)
			return;
		const self = new Float64Array(tree.n), counts = new Float64Array(tree.n);
		for (let c = 0; c < nodeOf.length; c++) {
			const node = nodeOf[c];
			if (node >= 0) {
				self[node] += weights[c];
				counts[node] += samples[c];
			}
		}
		tree.weigh(self, counts);
	}

	/** The weights of the recording to compare with. */
	weighOther(weights) {
		const { nodeOf, tree } = this, self = new Float64Array(tree.n);
		for (let c = 0; c < nodeOf.length; c++)
			if (nodeOf[c] >= 0)
				self[nodeOf[c]] += weights[c];
		tree.weighOther(self);
	}
}

/** A tree under construction, whose nodes are found by parent and frame. */
class Trie {
	/** @param {number} nrFrames */
	constructor(nrFrames) {
		this.nrFrames = nrFrames;
		this.parent = [-1];
		this.frame = [-1];
		this.nodes = new Map();
	}

	node(parent, frame) {
		const key = parent * this.nrFrames + frame;
		let node = this.nodes.get(key);
		if (node === undefined) {
			node = this.parent.push(parent) - 1;
			this.frame.push(frame);
			this.nodes.set(key, node);
		}
		return node;
	}

	tree() {
		return new Tree(Int32Array.from(this.parent), Int32Array.from(this.frame));
	}
}

/**
 * Leaves frames out: their own weight goes to their callers.
 * @param {Shape} shape
 * @param {(frame: number) => boolean} hidden
 * @param {boolean} collapse a function that calls itself is one node
 */
function reduced(shape, hidden, collapse, nrFrames) {
	const { n, parent, frame } = shape.tree, trie = new Trie(nrFrames), to = new Int32Array(n);
	const gone = new Uint8Array(nrFrames);
	for (let f = 0; f < nrFrames; f++)
		gone[f] = hidden(f) ? 1 : 0;
	for (let i = 1; i < n; i++) {
		const above = to[parent[i]], f = frame[i];
		to[i] = gone[f] || (collapse && trie.frame[above] === f) ? above : trie.node(above, f);
	}
	return new Shape(trie.tree(), shape.nodeOf.map(node => node < 0 ? -1 : to[node]));
}

/**
 * Puts another frame in place of the outermost one, by cell: -1 takes it away.
 * @param {Shape} shape
 * @param {Int32Array} rootOf
 */
function regrouped(shape, rootOf, nrFrames) {
	const { parent, frame } = shape.tree, trie = new Trie(nrFrames);
	const places = new Map(), nodeOf = new Int32Array(shape.nodeOf.length);
	const path = [];
	for (let c = 0; c < nodeOf.length; c++) {
		const root = rootOf[c], below = (root + 1) * shape.tree.n;
		let node = shape.nodeOf[c], to;
		path.length = 0;
		while (node > 0 && parent[node] !== 0 && (to = places.get(below + node)) === undefined) {
			path.push(node);
			node = parent[node];
		}
		if (to === undefined)
			to = root < 0 ? 0 : trie.node(0, root);
		while (path.length > 0) {
			node = path.pop();
			to = trie.node(to, frame[node]);
			places.set(below + node, to);
		}
		nodeOf[c] = shape.nodeOf[c] < 0 ? -1 : to;
	}
	return new Shape(trie.tree(), nodeOf);
}

/** The callers of where time was spent. */
function inverted(shape) {
	const starts = Uint32Array.from(new Set(shape.nodeOf.filter(node => node > 0)));
	const { tree, ends } = callersOf(shape.tree, starts);
	const endOf = new Int32Array(shape.tree.n).fill(-1);
	starts.forEach((node, i) => { endOf[node] = ends[i]; });
	return new Shape(tree, shape.nodeOf.map(node => node < 0 ? -1 : node === 0 ? 0 : endOf[node]));
}

/** For each node the outermost node of a function at or around it; -1: none. */
function outermostOf(tree, frame) {
	const outer = new Int32Array(tree.n).fill(-1);
	for (let i = 1; i < tree.n; i++)
		outer[i] = outer[tree.parent[i]] >= 0 ? outer[tree.parent[i]] : tree.frame[i] === frame ? i : -1;
	return outer;
}

/**
 * Both halves of a sandwich: the callers and the callees of a function, which is the root of either tree.
 * @param {Shape} shape
 * @param {number} frame
 */
function sandwich(shape, frame, nrFrames) {
	const { tree, nodeOf } = shape, outer = outermostOf(tree, frame);
	const trie = new Trie(nrFrames), to = new Int32Array(tree.n).fill(-1);
	for (let i = 1; i < tree.n; i++)
		if (outer[i] === i)
			to[i] = 0;
		else if (outer[i] >= 0)
			to[i] = trie.node(to[tree.parent[i]], tree.frame[i]);
	const places = Uint32Array.from(new Set(outer.filter(node => node >= 0)));
	const { tree: above, ends } = callersOf(tree, places.map(node => Math.max(0, tree.parent[node])));
	const endOf = new Int32Array(tree.n).fill(-1);
	places.forEach((node, i) => { endOf[node] = ends[i]; });
	const below = trie.tree();
	below.frame[0] = above.frame[0] = frame;
	return {
		callees: new Shape(below, nodeOf.map(node => node < 0 ? -1 : to[node])),
		callers: new Shape(above, nodeOf.map(node => node < 0 || outer[node] < 0 ? -1 : endOf[outer[node]])),
	};
}

/**
 * The stacks of a selection in order of time: frames are one block as long as they stay on the stack. Tasks are side by
 * side. Its weights are those of the selection.
 * @param {Shape} shape
 * @param {{cell: ArrayLike<number>, period: ArrayLike<number>, count: ArrayLike<number>}} samples
 * @param {number} first @param {number} end samples
 * @param {(i: number) => boolean} wanted
 */
function inOrderOfTime(shape, samples, first, end, wanted) {
	const { tree, nodeOf } = shape, rootOf = new Int32Array(tree.n);
	for (let i = 1; i < tree.n; i++)
		rootOf[i] = tree.parent[i] === 0 ? i : rootOf[tree.parent[i]];
	const byRoot = new Map();
	for (let i = first; i < end; i++) {
		const node = nodeOf[samples.cell[i]];
		if (node < 0 || !wanted(i))
			continue;
		const list = byRoot.get(rootOf[node]);
		if (list)
			list.push(i);
		else
			byRoot.set(rootOf[node], [i]);
	}
	const parent = [-1], frame = [-1], self = [0], counts = [0], start = [0];
	const path = [0], made = [0], todo = [];   /* by depth: the open nodes, and those made for them */
	let limited = false, at = 0;
	for (const list of byRoot.values()) {
		for (const i of list) {
			let node = nodeOf[samples.cell[i]];
			for (; path[tree.depth[node]] !== node; node = tree.parent[node])
				todo.push(node);
			path.length = made.length = tree.depth[node] + 1;
			while (todo.length > 0) {
				node = todo.pop();
				made.push(parent.push(made[path.length - 1]) - 1);
				path.push(node);
				frame.push(tree.frame[node]);
				self.push(0);
				counts.push(0);
				start.push(at);
			}
			self[made[made.length - 1]] += samples.period[i];
			counts[made[made.length - 1]] += samples.count[i];
			at += samples.period[i];
			if (parent.length > MOST_ORDERED) {
				limited = true;
				break;
			}
		}
		path.length = made.length = 1;
	}
	const ordered = new Tree(Int32Array.from(parent), Int32Array.from(frame), true);
	ordered.limited = limited;
	ordered.start.set(start);
	ordered.weigh(Float64Array.from(self), Float64Array.from(counts));
	const result = new Shape(ordered, new Int32Array(0));
	result.fixed = true;
	return result;
}
