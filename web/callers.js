/* SPDX-License-Identifier: MIT */
/* Trees of callers: stacks read from their inner end outwards. */

const MOST_CALLERS = 2000000;

/**
 * The tree of callers of some nodes. It can be as large as the sum of the depths of all stacks; past MOST_CALLERS nodes
 * it is `limited`, and stacks end before their outermost callers.
 * @param {Tree} tree of callees
 * @param {Uint32Array} starts a node for each stack, where reading begins; 0: the stack has no frame to read
 * @returns {{tree: Tree, ends: Int32Array}} ends: by stack, the node of its outermost caller
 */
function callersOf(tree, starts) {
	const parent = [-1], frame = [-1];
	const ends = new Int32Array(starts.length);
	const at = starts.slice();                /* the current frame of each stack */
	const order = Uint32Array.from([...starts.keys()].filter(i => starts[i] > 0));
	let level = [[0, order.length, 0]];       /* stacks order[low] to order[high - 1] share the node */
	let next = [];
	let limited = false;

	const extend = (low, high, node) => {
		if (high - low > 1)
			order.subarray(low, high).sort((a, b) => tree.frame[at[a]] - tree.frame[at[b]] || a - b);
		for (let i = low; i < high;) {
			const f = tree.frame[at[order[i]]];
			const made = parent.length;
			let done = i;
			parent.push(node);
			frame.push(f);
			/* Stacks that are at their outermost frame end here, and move to the front. */
			for (; i < high && tree.frame[at[order[i]]] === f; i++) {
				const stack = order[i];
				if (tree.parent[at[stack]] === 0 || limited) {
					ends[stack] = made;
					order[i] = order[done];
					order[done++] = stack;
				}
			}
			for (let k = done; k < i; k++)
				at[order[k]] = tree.parent[at[order[k]]];
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
	const made = new Tree(Int32Array.from(parent), Int32Array.from(frame));
	made.limited = limited;
	return { tree: made, ends };
}
