/* SPDX-License-Identifier: MIT */
/*
 * A prefix tree of stacks in flat arrays. Node 0 is the root, a parent comes before its children. The structure stays,
 * weights change with each selection: sums are two linear loops, and only nodes in sight get a place on the axis.
 */

class Tree {
	/**
	 * @param {Int32Array} parent of the root: -1
	 * @param {Int32Array} frame of the root: -1
	 * @param {boolean} ordered nodes have their places in `start`; else the heaviest child comes first
	 */
	constructor(parent, frame, ordered = false) {
		const n = parent.length;
		this.n = n;
		this.limited = false;
		this.ordered = ordered;
		this.parent = parent;
		this.frame = frame;
		this.self = new Float64Array(n);
		this.selfSamples = new Float64Array(n);
		this.total = new Float64Array(n);
		this.samples = new Float64Array(n);
		this.depth = new Uint32Array(n);
		this.start = new Float64Array(n);     /* on the axis from 0 to the root's total; see arrange() */
		this.arranged = new Uint32Array(n);   /* the generation of weights in which the children got places */
		this.generation = 0;
		this.nearest = null;
		/** @type {Float64Array | null} */
		this.otherSelf = null;                /* weights of the recording to compare with */
		/** @type {Float64Array | null} */
		this.other = null;
		for (let i = 1; i < n; i++)
			this.depth[i] = this.depth[parent[i]] + 1;
		this.listChildren();
	}

	/* Children of i: child[first[i]] to child[first[i + 1] - 1] */
	listChildren() {
		const { n, parent } = this;
		this.first = new Uint32Array(n + 1);
		this.child = new Uint32Array(Math.max(n - 1, 0));
		for (let i = 1; i < n; i++)
			this.first[parent[i] + 1]++;
		for (let i = 0; i < n; i++)
			this.first[i + 1] += this.first[i];
		const next = this.first.slice();
		for (let i = 1; i < n; i++)
			this.child[next[parent[i]]++] = i;
	}

	/* New weights of the stacks that end in each node; both arrays belong to the tree from here. */
	weigh(self, samples) {
		const { n, parent, total } = this;
		this.self = self;
		this.selfSamples = samples;
		total.set(self);
		this.samples.set(samples);
		for (let i = n - 1; i > 0; i--) {
			total[parent[i]] += total[i];
			this.samples[parent[i]] += this.samples[i];
		}
		this.generation++;
		this.start[0] = 0;
	}

	/* The same of the recording to compare with; widths and order do not change. */
	weighOther(self) {
		this.otherSelf = self;
		this.other = self.slice();
		for (let i = this.n - 1; i > 0; i--)
			this.other[this.parent[i]] += this.other[i];
	}

	/* Gives the children of a node, which has its own place, their order and places. */
	arrange(node) {
		const { total, child, start } = this;
		const first = this.first[node], end = this.first[node + 1];
		if (this.arranged[node] === this.generation)
			return;
		this.arranged[node] = this.generation;
		if (this.ordered)
			return;
		if (end - first > 1)
			child.subarray(first, end).sort((a, b) => total[b] - total[a] || a - b);
		for (let k = first, at = start[node]; k < end; k++) {
			start[child[k]] = at;
			at += total[child[k]];
		}
	}

	/* The start of any node on the axis. */
	startOf(node) {
		this.arrange(0);
		for (const outer of this.path(node))
			this.arrange(outer);
		return this.start[node];
	}

	/* The path from a child of the root to the node. */
	path(node) {
		const nodes = [];
		for (; node > 0; node = this.parent[node])
			nodes.push(node);
		return nodes.reverse();
	}

	/* For each node the closest node around it of the same function; -1: none. */
	get above() {
		if (this.nearest)
			return this.nearest;
		const { n, first, child, parent, frame } = this;
		let most = 0;
		for (let i = 1; i < n; i++)
			most = Math.max(most, frame[i]);
		const above = new Int32Array(n).fill(-1), last = new Int32Array(most + 1).fill(-1);
		const next = first.slice(0, n);
		let node = 0;
		while (node >= 0) {
			if (next[node] < first[node + 1]) {
				node = child[next[node]++];
				above[node] = last[frame[node]];
				last[frame[node]] = node;
			} else {
				if (node > 0)
					last[frame[node]] = above[node];
				node = parent[node];
			}
		}
		this.nearest = above;
		return above;
	}

	/* One byte for each node: 1 for the node and all below it. */
	below(node) {
		const inside = new Uint8Array(this.n);
		inside[node] = 1;
		for (let i = node + 1; i < this.n; i++)
			inside[i] = inside[this.parent[i]];
		return inside;
	}

	/*
	 * Marks the nodes of wanted frames, and sums the outermost ones, so that nothing counts twice. outermost is
	 * ordered by weight.
	 */
	match(wanted) {
		const inside = new Uint8Array(this.n);
		const outermost = [];
		let weight = 0, samples = 0;
		for (let i = 1; i < this.n; i++) {
			const above = inside[this.parent[i]];
			inside[i] = above | wanted[this.frame[i]];
			if (inside[i] && !above && this.total[i] > 0) {
				weight += this.total[i];
				samples += this.samples[i];
				outermost.push(i);
			}
		}
		outermost.sort((a, b) => this.total[b] - this.total[a] || a - b);
		return { weight, samples, inside, outermost };
	}

	/* The weight of the wanted frames at and below a node; what lies around it does not count. */
	matchWithin(node, wanted) {
		const below = this.below(node), inside = new Uint8Array(this.n);
		let sum = 0;
		for (let i = node; i < this.n; i++) {
			const above = i === node ? 0 : inside[this.parent[i]];
			inside[i] = below[i] & (above | wanted[this.frame[i]]);
			if (inside[i] && !above)
				sum += this.total[i];
		}
		return sum;
	}

	/*
	 * For each frame below the node: its own weight, and its weight with callees, which counts each stack once even
	 * if the frame recurs.
	 */
	functions(nrFrames, node = 0) {
		const self = new Float64Array(nrFrames), total = new Float64Array(nrFrames);
		const selfSamples = new Float64Array(nrFrames), samples = new Float64Array(nrFrames);
		const { n, frame, above, other, otherSelf } = this, inside = node > 0 ? this.below(node) : null;
		const ofOther = other ? new Float64Array(nrFrames) : null;
		const ofOtherSelf = other ? new Float64Array(nrFrames) : null;
		for (let i = 1; i < n; i++) {
			if (inside && !inside[i])
				continue;
			const f = frame[i];
			self[f] += this.self[i];
			selfSamples[f] += this.selfSamples[i];
			if (other)
				ofOtherSelf[f] += otherSelf[i];
			if (above[i] < 0 || (inside && !inside[above[i]])) {
				total[f] += this.total[i];
				samples[f] += this.samples[i];
				if (other)
					ofOther[f] += other[i];
			}
		}
		return { self, total, selfSamples, samples, other: ofOther, otherSelf: ofOtherSelf };
	}
}
