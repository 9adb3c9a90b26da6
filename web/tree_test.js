/* SPDX-License-Identifier: MIT */
"use strict";
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { Tree, callersOf } = require("./load_scripts.js")(["tree.js", "callers.js"], ["Tree", "callersOf"]);

/* main(0) calls a(1) and b(2), a calls b, b calls a again: 0 > 1 > 2 > 1 and 0 > 2. */
function made() {
	const tree = new Tree(Int32Array.of(-1, 0, 1, 2, 3, 1), Int32Array.of(-1, 0, 1, 2, 1, 2));
	tree.weigh(Float64Array.of(0, 1, 2, 4, 8, 16), Float64Array.of(0, 1, 1, 1, 1, 1));
	return tree;
}

test("a node has the weight of the stacks through it", () => {
	const tree = made();
	assert.deepEqual([...tree.total], [31, 31, 14, 12, 8, 16]);
	assert.deepEqual([...tree.samples], [5, 5, 3, 2, 1, 1]);
	assert.deepEqual([...tree.depth], [0, 1, 2, 3, 4, 2]);
	assert.deepEqual(tree.path(4), [1, 2, 3, 4]);
});

test("the heaviest child comes first, and the next one beside it", () => {
	const tree = made();
	assert.equal(tree.startOf(5), 0);
	assert.equal(tree.startOf(2), 16);
	assert.equal(tree.startOf(4), 16);
	tree.weigh(Float64Array.of(0, 1, 2, 4, 8, 1), new Float64Array(6));
	assert.equal(tree.startOf(2), 0);
	assert.equal(tree.startOf(5), 14);
});

test("children in order of time stay where they are", () => {
	const tree = new Tree(Int32Array.of(-1, 0, 1, 1), Int32Array.of(-1, 0, 1, 2), true);
	tree.start.set([0, 0, 2, 9]);
	tree.weigh(Float64Array.of(0, 7, 1, 2), new Float64Array(4));
	assert.deepEqual([tree.startOf(2), tree.startOf(3)], [2, 9]);
});

test("a function that recurs counts a stack once", () => {
	const { self, total, samples } = made().functions(3);
	assert.deepEqual([...self], [1, 10, 20]);
	assert.deepEqual([...total], [31, 14, 28]);
	assert.deepEqual([...samples], [5, 3, 3]);
});

test("the functions of a part have the weights of the part", () => {
	const { self, total } = made().functions(3, 3);
	assert.deepEqual([...self], [0, 8, 4]);
	assert.deepEqual([...total], [0, 8, 12]);
});

test("a match sums the outermost nodes", () => {
	const tree = made(), found = tree.match(Uint8Array.of(0, 0, 1));
	assert.equal(found.weight, 28);
	assert.deepEqual(found.outermost, [5, 3]);
	assert.equal(tree.matchWithin(2, Uint8Array.of(0, 0, 1)), 12);
	assert.equal(tree.matchWithin(0, Uint8Array.of(0, 0, 1)), 28);
	assert.equal(tree.matchWithin(3, Uint8Array.of(0, 0, 1)), 12);
	assert.equal(tree.matchWithin(4, Uint8Array.of(0, 0, 1)), 0, "what is around the zoom does not count");
});

test("callers are read from the inner end", () => {
	const { tree, ends } = callersOf(made(), Uint32Array.of(4, 5, 0));
	const path = end => tree.path(end).map(node => tree.frame[node]);
	assert.deepEqual(path(ends[0]), [1, 2, 1, 0]);
	assert.deepEqual(path(ends[1]), [2, 0]);
	assert.equal(ends[2], 0);
	assert.equal(tree.n, 7);
	assert.equal(tree.limited, false);
});
