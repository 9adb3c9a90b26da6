/* SPDX-License-Identifier: MIT */
"use strict";
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { Tree, Shape, reduced, regrouped, inverted, sandwich, inOrderOfTime } = require("./load_scripts.js")(
	["tree.js", "callers.js", "shapes.js"],
	["Tree", "Shape", "reduced", "regrouped", "inverted", "sandwich", "inOrderOfTime"]);

/* Tasks are frames 8 and 9; stacks 8;0;1, 8;0;1;1, 8;0;2;1 and 9;0;1 with weights 1, 2, 4 and 8. */
const parent = [-1, 0, 1, 2, 3, 2, 5, 0, 7, 8], frame = [-1, 8, 0, 1, 1, 2, 1, 9, 0, 1];
const weights = [1, 2, 4, 8], counts = [1, 1, 1, 1];

function made() {
	return new Shape(new Tree(Int32Array.from(parent), Int32Array.from(frame)), Int32Array.of(3, 4, 6, 9));
}

/* The stacks of a shape as text, outermost first, and their weights. */
function stacks({ tree }) {
	const found = {};
	for (let i = 0; i < tree.n; i++)
		if (tree.self[i] > 0)
			found[tree.path(i).map(node => tree.frame[node]).join(";")] = tree.self[i];
	return found;
}

function weighed(shape) {
	shape.weigh(weights, counts);
	return stacks(shape);
}

test("cells give their weights to their nodes", () => {
	assert.deepEqual(weighed(made()), { "8;0;1": 1, "8;0;1;1": 2, "8;0;2;1": 4, "9;0;1": 8 });
});

test("a hidden function gives its weight to its caller", () => {
	assert.deepEqual(weighed(reduced(made(), f => f === 1, false, 10)), { "8;0": 3, "8;0;2": 4, "9;0": 8 });
	assert.deepEqual(weighed(reduced(made(), f => f >= 8, false, 10)), { "0;1": 9, "0;1;1": 2, "0;2;1": 4 });
});

test("recursion is collapsed", () => {
	assert.deepEqual(weighed(reduced(made(), () => false, true, 10)), { "8;0;1": 3, "8;0;2;1": 4, "9;0;1": 8 });
});

test("stacks are put below other tasks, or below none", () => {
	assert.deepEqual(weighed(regrouped(made(), Int32Array.of(7, 7, 6, 6), 10)),
			 { "7;0;1": 1, "7;0;1;1": 2, "6;0;2;1": 4, "6;0;1": 8 });
	assert.deepEqual(weighed(regrouped(made(), Int32Array.of(-1, -1, -1, -1), 10)),
			 { "0;1": 9, "0;1;1": 2, "0;2;1": 4 });
});

test("callers begin with where time was spent", () => {
	assert.deepEqual(weighed(inverted(made())), { "1;0;8": 1, "1;1;0;8": 2, "1;2;0;8": 4, "1;0;9": 8 });
});

test("a sandwich has the callers and the callees of the outermost calls", () => {
	const { callers, callees } = sandwich(made(), 1, 10);
	assert.deepEqual(weighed(callees), { "": 13, "1": 2 });
	assert.deepEqual(weighed(callers), { "0;8": 3, "2;0;8": 4, "0;9": 8 });
	assert.equal(callees.tree.frame[0], 1);
	const outer = sandwich(made(), 8, 10);
	assert.deepEqual(weighed(outer.callers), { "": 7 });
	assert.equal(outer.callees.tree.total[0] || weighed(outer.callees) && outer.callees.tree.total[0], 7);
});

test("in order of time, a function is one block as long as it stays on the stack", () => {
	/* 8;0;1 - 8;0;2;1 - 8;0;2;1 - 8;0;1, and 9;0;1 in between */
	const samples = { cell: [0, 2, 3, 2, 0], period: [1, 1, 1, 1, 1], count: [1, 1, 1, 1, 1], n: 5 };
	const { tree } = inOrderOfTime(made(), samples, 0, 5, () => true);
	const rows = [...tree.frame.keys()].map(i => [tree.depth[i], tree.frame[i], tree.startOf(i), tree.total[i]]);
	assert.deepEqual(rows, [[0, -1, 0, 5], [1, 8, 0, 4], [2, 0, 0, 4], [3, 1, 0, 1], [3, 2, 1, 2], [4, 1, 1, 2],
		[3, 1, 3, 1], [1, 9, 4, 1], [2, 0, 4, 1], [3, 1, 4, 1]]);
	assert.equal(inOrderOfTime(made(), samples, 1, 4, i => i !== 2).tree.total[0], 2);
});

test("in order of time, a function's own time is between its callees", () => {
	/* 8;0;1 - 8;0;1;1 - 8;0;1 - 8;0;1;1 */
	const samples = { cell: [0, 1, 0, 1], period: [2, 3, 4, 5], count: [1, 1, 1, 1], n: 4 };
	const { tree } = inOrderOfTime(made(), samples, 0, 4, () => true);
	const inner = [...tree.frame.keys()].filter(i => tree.depth[i] === 4);
	assert.deepEqual(inner.map(i => [tree.startOf(i), tree.total[i]]), [[2, 3], [9, 5]]);
});
