/* SPDX-License-Identifier: MIT */
"use strict";
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { Frames, Tree, Shape, pairFrames, pairCommands, commandsOf, joined, change, ratioText, pointsText,
	plainEvent } = require("./load_scripts.js")(
		["format.js", "columns.js", "tree.js", "callers.js", "shapes.js", "pairing.js", "baseline.js",
		 "event.js", "data.js"],
		["Frames", "Tree", "Shape", "pairFrames", "pairCommands", "commandsOf", "joined", "change", "ratioText",
		 "pointsText", "plainEvent"]);

const [UNKNOWN, USER, KERNEL, JIT, TASK, IDLE] = [0, 1, 2, 3, 4, 5];

/* Rows of symbol, dso, kind, build id, and whether the function was inlined. */
function frames(...rows) {
	const strings = [], of = text => strings.includes(text) ? strings.indexOf(text) : strings.push(text) - 1;
	return new Frames({
		symbol: rows.map(row => of(row[0])), dso: rows.map(row => of(row[1])), kind: rows.map(row => row[2]),
		build_id: rows.map(row => of(row[3])),
		inlined: [...rows.keys()].filter(i => rows[i][4]),
	}, strings);
}

test("functions are paired by binary and name", () => {
	const own = frames(["main", "/new/a.out", USER, "11"], ["read", "/lib/libc.so", USER, "22"],
			   ["read", "/new/a.out", USER, "11"], ["do_idle", "[kernel.kallsyms]", KERNEL, "33"]);
	const old = frames(["read", "/old/a.out", USER, "44"], ["do_idle", "[kernel.kallsyms]", KERNEL, "55"],
			   ["read", "/lib/libc.so", USER, "22"], ["main", "/old/a.out", USER, "44"]);
	assert.deepEqual([...pairFrames(own, old).old], [2, 3, 1, 0]);
	assert.equal(own.recorded, 4);
});

test("a build id is surer than a path", () => {
	const own = frames(["f", "/bin/x", USER, "11"], ["f", "/bin/y", USER, "22"]);
	assert.deepEqual([...pairFrames(own, frames(["f", "/bin/x", USER, "22"])).old], [1]);
});

test("an address is the same place in the same build only", () => {
	const own = frames(["0x10", "/bin/x", UNKNOWN, "11"]), old = frames(["0x10", "/bin/x", UNKNOWN, "22"]);
	assert.deepEqual([...pairFrames(own, old).old], [1]);
	assert.deepEqual([...pairFrames(own, frames(["0x10", "/bin/z", UNKNOWN, "11"])).old], [0]);
});

test("tasks and generated code are paired by name; a task is no function", () => {
	const own = frames(["main", "", TASK, ""], ["main", "/bin/x", USER, ""], ["add", "/tmp/perf-1.map", JIT, ""]);
	const old = frames(["add", "/tmp/perf-2.map", JIT, ""], ["main", "", TASK, ""], ["main", "", IDLE, ""]);
	assert.deepEqual([...pairFrames(own, old).old], [2, 0, 3]);
});

test("what only the baseline has is added, with the strings that are known", () => {
	const own = frames(["main", "/bin/x", USER, ""]);
	const old = frames(["gone", "/bin/x", USER, ""], ["__proto__", "", USER, ""]);
	assert.deepEqual([...pairFrames(own, old).old], [1, 2]);
	assert.equal(own.recorded, 3);
	assert.equal(own.symbol(1), "gone");
	assert.equal(own.dsoIndex[1], own.dsoIndex[0]);
	assert.equal(own.addTask("thread 1"), 3);
});

test("a recording beside itself is paired with itself", () => {
	const rows = [["f", "/a/libx.so", USER, "11"], ["f", "/b/libx.so", USER, "22"], ["f", "/c/libx.so", USER, "11"],
		      ["run", "/tmp/perf-1.map", JIT, ""], ["run", "/tmp/perf-2.map", JIT, ""],
		      ["f", "/a/libx.so", USER, ""],
		      ["0x10", "[unknown]", UNKNOWN, ""], ["sh", "", TASK, ""], ["swapper", "", IDLE, ""]];
	const own = frames(...rows), paired = pairFrames(own, frames(...rows));
	assert.deepEqual([...paired.own], [...paired.old]);
	assert.deepEqual([...paired.own], [0, 1, 0, 3, 3, 5, 6, 7, 8]);
	assert.equal(own.recorded, rows.length);
});

test("a function is the same one where it was inlined", () => {
	const own = frames(["f", "/bin/x", USER, "11", true], ["g", "/bin/x", USER, "11", true]);
	const old = frames(["g", "/bin/x", USER, "22", true], ["f", "/bin/x", USER, "22"]);
	assert.deepEqual([own.symbol(0), own.symbol(1)], ["f (inlined)", "g (inlined)"]);
	assert.deepEqual([...pairFrames(own, old).old], [1, 0]);
	assert.deepEqual([own.symbol(0), own.symbol(1)], ["f", "g (inlined)"]);
});

test("a binary of another name is known by its version or by its functions", () => {
	const own = frames(["f", "/lib/libx-1.2.so", USER, "11"], ["f", "/bin/after", USER, "22"],
			   ["g", "/bin/after", USER, "22"], ["h", "/bin/after", USER, "22"],
			   ["f", "/bin/z", USER, "33"]);
	const old = frames(["f", "/lib/libx-1.1.so", USER, "44"], ["f", "/bin/before", USER, "55"],
			   ["g", "/bin/before", USER, "55"], ["k", "/bin/z", USER, "33"],
			   ["a", "/bin/other", USER, ""]);
	assert.deepEqual([...pairFrames(own, old).old], [0, 1, 2, 5, 6]);
});

/* By frame of a command: its weight, and functions with their weights. */
function commands(rows) {
	return new Map(Object.entries(rows).map(([command, [weight, functions]]) =>
		[Number(command), { weight, functions: new Map(functions) }]));
}

test("a command of another name is known by what it runs", () => {
	const own = commands({ 1: [50, [[10, 30], [11, 20]]], 2: [40, [[12, 40]]], 3: [10, []] });
	const old = commands({ 4: [30, [[11, 20], [10, 10]]], 2: [40, [[12, 40]]], 5: [30, [[13, 30]]] });
	assert.deepEqual([...pairCommands(own, old)], [[4, 1]]);
	assert.deepEqual([...pairCommands(commands({ 1: [9, [[10, 9]]] }), commands({ 4: [7, [[13, 7]]] }))], [[4, 1]],
		"nothing else was recorded");
	assert.deepEqual([...pairCommands(own, own)], []);
});

test("what a command runs is what no other one does", () => {
	const list = frames(["app", "", TASK, ""], ["sh", "", TASK, ""], ["f", "/bin/app", USER, ""],
			    ["read", "/lib/libc.so", USER, ""], ["switch", "[kernel.kallsyms]", KERNEL, ""]);
	const shape = new Shape(new Tree(Int32Array.of(-1, 0, 1, 2, 1, 0, 5), Int32Array.of(-1, 0, 2, 3, 4, 1, 3)),
		Int32Array.of(2, 3, 4, 6));
	const made = commandsOf(shape, [1, 2, 4, 8], list);
	assert.deepEqual([...made].map(([f, { weight, functions }]) => [f, weight, [...functions]]),
		[[0, 7, [[2, 1]]], [1, 8, []]]);
});

/* 0;1 and 0;2 with weights 3 and 5; the baseline: 0;1, 0;1;3 and 0 with 7, 11 and 13. */
function both() {
	const own = new Shape(new Tree(Int32Array.of(-1, 0, 1, 1), Int32Array.of(-1, 0, 1, 2)), Int32Array.of(2, 3));
	const old = new Shape(new Tree(Int32Array.of(-1, 0, 1, 2), Int32Array.of(-1, 0, 1, 3)), Int32Array.of(2, 3, 1));
	return joined(own, old, 4);
}

test("one tree has the stacks of both, each with its own weights", () => {
	const shape = both(), { tree } = shape;
	shape.weigh([3, 5, 0, 0, 0], [1, 1, 0, 0, 0]);
	shape.weighOther([0, 0, 7, 11, 13]);
	const at = path => [...Array(tree.n).keys()].find(i =>
		tree.path(i).map(node => tree.frame[node]).join() === path);
	assert.deepEqual(["0", "0,1", "0,2", "0,1,3"].map(path => [tree.total[at(path)], tree.other[at(path)]]),
		[[8, 31], [3, 18], [5, 0], [0, 11]]);
	const { total, other, self, otherSelf } = tree.functions(4);
	assert.deepEqual([[...total], [...other]], [[8, 3, 5, 0], [31, 18, 0, 11]]);
	assert.deepEqual([[...self], [...otherSelf]], [[0, 3, 5, 0], [13, 7, 0, 11]]);
});

test("changes have a sign and a limit", () => {
	assert.deepEqual([[2, 1], [1, 2], [1, 1], [1, 0], [0, 1], [0, 0]].map(([own, old]) => change(own, old)),
		[0.5, -0.5, 0, 1, -1, 0]);
	assert.deepEqual([[3, 2], [1, 0], [0, 1], [0, 0]].map(([own, old]) => ratioText(own, old)),
		["1.50×", "new", "gone", "–"]);
	assert.deepEqual([0.1234, -0.1, -0.000001, 0].map(pointsText), ["+12.34", "−10.00", "0.00", "0.00"]);
});

test("events are the same whatever their modifiers", () => {
	assert.deepEqual(["cycles:u", "cycles", "cpu-clock:ukH", "sched:sched_switch"].map(plainEvent),
		["cycles", "cycles", "cpu-clock", "sched:sched_switch"]);
});
