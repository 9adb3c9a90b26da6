/* SPDX-License-Identifier: MIT */
/* A prefix tree of stacks in flat arrays. Node 0 is the root, a parent comes before its children. */

const MOST_CALLERS = 2000000;

class Tree {
	/* weight and samples: of the stacks that end in the node */
	constructor(parent, frame, weight, samples) {
		const n = parent.length;
		this.n = n;
		this.limited = false;
		this.parent = parent;
		this.frame = frame;
		this.self = weight;
		this.selfSamples = samples;
		this.total = Float64Array.from(weight);
		this.samples = Float64Array.from(samples);
		this.depth = new Uint32Array(n);
		for (let i = n - 1; i > 0; i--) {
			this.total[parent[i]] += this.total[i];
			this.samples[parent[i]] += this.samples[i];
		}
		for (let i = 1; i < n; i++)
			this.depth[i] = this.depth[parent[i]] + 1;
		this.sortChildren();
		this.place();
	}

	/* Children of i: child[first[i]] to child[first[i + 1] - 1], heaviest first. */
	sortChildren() {
		const { n, parent, total } = this;
		this.first = new Uint32Array(n + 1);
		this.child = new Uint32Array(Math.max(n - 1, 0));
		for (let i = 1; i < n; i++)
			this.first[parent[i] + 1]++;
		for (let i = 0; i < n; i++)
			this.first[i + 1] += this.first[i];
		const next = this.first.slice();
		for (let i = 1; i < n; i++)
			this.child[next[parent[i]]++] = i;
		for (let i = 0; i < n; i++)
			if (this.first[i + 1] - this.first[i] > 1)
				this.child.subarray(this.first[i], this.first[i + 1]).sort(
					(a, b) => total[b] - total[a] || a - b);
	}

	/* start[i]: the start of the node on the axis from 0 to the root's total */
	place() {
		this.start = new Float64Array(this.n);
		for (let i = 0; i < this.n; i++) {
			let at = this.start[i];
			for (let k = this.first[i]; k < this.first[i + 1]; k++) {
				this.start[this.child[k]] = at;
				at += this.total[this.child[k]];
			}
		}
	}

	/* The path from a child of the root to the node. */
	path(node) {
		const nodes = [];
		for (; node > 0; node = this.parent[node])
			nodes.push(node);
		return nodes.reverse();
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
			if (inside[i] && !above) {
				weight += this.total[i];
				samples += this.samples[i];
				outermost.push(i);
			}
		}
		outermost.sort((a, b) => this.total[b] - this.total[a] || a - b);
		return { weight, samples, inside, outermost };
	}

	/* The weight of a match below a node, or the node's own weight if a match contains it. */
	matchWithin(node, found) {
		const low = this.start[node], high = low + this.total[node];
		if (found.inside[node])
			return this.total[node];
		return found.outermost.reduce((sum, i) =>
			this.start[i] >= low && this.start[i] < high && this.depth[i] > this.depth[node] ?
				sum + this.total[i] : sum, 0);
	}

	/*
	 * For each frame: its own weight, and its weight with callees, which counts each stack once even if the frame
	 * recurs.
	 */
	functions(nrFrames) {
		const self = new Float64Array(nrFrames), total = new Float64Array(nrFrames);
		const selfSamples = new Float64Array(nrFrames), samples = new Float64Array(nrFrames);
		const active = new Uint32Array(nrFrames);
		const next = this.first.slice(0, this.n);
		let node = 0;
		for (let i = 1; i < this.n; i++) {
			self[this.frame[i]] += this.self[i];
			selfSamples[this.frame[i]] += this.selfSamples[i];
		}
		while (node >= 0) {
			if (next[node] < this.first[node + 1]) {
				node = this.child[next[node]++];
				if (active[this.frame[node]]++ === 0) {
					total[this.frame[node]] += this.total[node];
					samples[this.frame[node]] += this.samples[node];
				}
			} else {
				if (node > 0)
					active[this.frame[node]]--;
				node = this.parent[node];
			}
		}
		return { self, total, selfSamples, samples };
	}

	/*
	 * The tree of callers, from the innermost frame outwards. It can be as large as the sum of the depths of
	 * all stacks; past MOST_CALLERS nodes it is `limited`, and stacks end before their outermost callers.
	 */
	inverted() {
		const parent = [-1], frame = [-1], weight = [0], samples = [0];
		const ends = [];
		let limited = false;
		for (let i = 1; i < this.n; i++)
			if (this.self[i] > 0 || this.selfSamples[i] > 0)
				ends.push(i);
		const leaf = Uint32Array.from(ends);      /* the end of each stack */
		const at = Uint32Array.from(ends);        /* the current frame of each stack, from its end outwards */
		const order = Uint32Array.from(ends.keys());
		let level = [[0, order.length, 0]];       /* stacks order[low] to order[high - 1] share the node */
		let next = [];

		const extend = (low, high, node) => {
			if (high - low > 1)
				order.subarray(low, high).sort(
					(a, b) => this.frame[at[a]] - this.frame[at[b]] || a - b);
			for (let i = low; i < high;) {
				const f = this.frame[at[order[i]]];
				const made = parent.length;
				let done = i;
				parent.push(node);
				frame.push(f);
				weight.push(0);
				samples.push(0);
				/* Stacks that are at their outermost frame end here, and move to the front. */
				for (; i < high && this.frame[at[order[i]]] === f; i++) {
					const stack = order[i];
					if (this.parent[at[stack]] === 0 || limited) {
						weight[made] += this.self[leaf[stack]];
						samples[made] += this.selfSamples[leaf[stack]];
						order[i] = order[done];
						order[done++] = stack;
					}
				}
				for (let k = done; k < i; k++)
					at[order[k]] = this.parent[at[order[k]]];
				if (done < i)
					next.push([done, i, made]);
			}
		};
		/* Level by level: if there are too many nodes, the outermost callers are left out; a note says so. */
		while (level.length > 0) {
			limited = parent.length + level.length > MOST_CALLERS;
			level.forEach(([low, high, node]) => extend(low, high, node));
			[level, next] = [next, []];
		}
		const tree = new Tree(Int32Array.from(parent), Int32Array.from(frame), Float64Array.from(weight),
			Float64Array.from(samples));
		tree.limited = limited;
		return tree;
	}
}
