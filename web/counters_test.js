/* SPDX-License-Identifier: MIT */
"use strict";
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { ReadCounter, Counters, rateText } = require("./load_scripts.js")(
	["format.js", "columns.js", "threads.js", "tracks.js", "counters.js"], ["ReadCounter", "Counters", "rateText"]);

const columns = { pid: [10, 10], tid: [10, 11], comm: [0, 0], machine: [0, 0] };
const { Threads } = require("./load_scripts.js")(["format.js", "threads.js"], ["Threads"]);
const threads = new Threads({ values: name => Uint32Array.from(columns[name]) }, ["app"]);
const sched = { tid: [11, 10] };
const all = { task: "", cpu: -1, idle: true };

/* Thread 11 (number 1) counts 5 at 0 and 7 at 9, thread 10 on CPU 3 counts 11 at 5, an idle CPU 13 at 5. */
const lists = { time: [0, 5, 5, 9], thread: [1, 2, 0, 1], cpu: [1, 4, 1, 1], value: [5, 11, 13, 7] };
const counter = new ReadCounter("faults", [0, 1, 2, 3], lists, sched, threads);

test("counts lie in the columns of their time", () => {
	assert.deepEqual([...counter.values({ from: 0, to: 10 }, 2, all)], [5, 31]);
	assert.deepEqual([...counter.values({ from: 5, to: 9 }, 2, all)], [24, 0]);
	assert.deepEqual([...counter.values({ from: 0.5, to: 9.5 }, 3, all)], [0, 24, 7]);
});

test("only the counts of the chosen threads and CPU", () => {
	const sum = choice => counter.values({ from: 0, to: 10 }, 1, { ...all, ...choice })[0];
	assert.equal(sum({ task: "10/11" }), 12);
	assert.equal(sum({ task: "10" }), 23);
	assert.equal(sum({ cpu: 3 }), 11);
	assert.equal(sum({ idle: false }), 23);
});

test("events beside the one that is shown; the rest is told", () => {
	const events = Array.from({ length: 8 }, (_, number) => ({ number, name: "e" + number, isTimed: true,
		isEmpty: number === 3 }));
	const counters = new Counters({ sched: null, threads, events });
	const names = many => counters.beside(events[1], many).shown.map(({ name }) => name);
	assert.deepEqual(names(false), ["e0", "e2", "e4", "e5"]);
	assert.equal(counters.beside(events[1], false).hidden, 2);
	assert.deepEqual(names(true), ["e0", "e2", "e4", "e5", "e6", "e7"]);
});

test("a member of a group that has samples is one row", () => {
	const none = new Uint32Array(0);
	const counts = { time: none, thread: none, cpu: none, value: none, event: ["a", "b", "a"] };
	const events = [{ number: 0, name: "a", isTimed: true, isEmpty: false }];
	const { list } = new Counters({ sched: { counts, tid: none }, threads, events });
	assert.deepEqual(list.map(({ name, number }) => name + " " + number), ["a 0", "b -1"]);
});

test("rates have a unit", () => {
	assert.equal(rateText(3e9, "ns", 2e9), "1.5 CPUs");
	assert.equal(rateText(3e9, "ns", 2e9, true), "1.5 threads");
	assert.equal(rateText(2.04e6, "", 1e6), "2.00 G/s");
	assert.equal(rateText(3, "samples", 1e10), "0.3 samples/s");
	assert.equal(rateText(0, "", 1e9), "0/s");
});
