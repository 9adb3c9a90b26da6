/* SPDX-License-Identifier: MIT */
"use strict";
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { Threads } = require("./load_scripts.js")(["format.js", "threads.js"], ["Threads"]);

/* A thread under two names, one of the same ids on another machine, and a second thread there. */
const columns = { pid: [10, 10, 10, 10], tid: [10, 10, 10, 11], comm: [0, 1, 2, 2], machine: [0, 0, 1, 1] };
const threads = new Threads({ values: name => Uint32Array.from(columns[name]) }, ["sh", "app", "app (other)"]);

test("threads of the same ids on two machines are two threads", () => {
	assert.deepEqual([...threads.ofTask], [0, 0, 1, 2]);
	assert.deepEqual([0, 1, 2].map(t => threads.key(t)), ["10/10", "10/10@1", "10/11@1"]);
	assert.deepEqual([0, 1, 2].map(t => threads.name(t)), ["app 10", "app (other) 10", "app (other) 11"]);
});

test("a choice names threads of one machine", () => {
	const chosen = choice => [0, 1, 2].filter(threads.chosen(choice));
	assert.deepEqual(chosen(""), [0, 1, 2]);
	assert.deepEqual(chosen("10"), [0]);
	assert.deepEqual(chosen("10@1"), [1, 2]);
	assert.deepEqual(chosen("10/10@1"), [1]);
	assert.deepEqual(chosen("10/10"), [0]);
	assert.deepEqual(chosen("10@2"), []);
});

test("processes of the same pid on two machines are two choices", () => {
	const { processes } = threads.choices(Float64Array.of(5, 3, 4));
	assert.deepEqual(processes.map(({ key, name, weight }) => [key, name, weight]),
		[["10@1", "app (other)", 7], ["10", "app", 5]]);
});
