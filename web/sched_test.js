/* SPDX-License-Identifier: MIT */
"use strict";
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { Sched, StateTrack, SchedPaint, above, chosenStates, schedLegend } = require("./load_scripts.js")(
	["format.js", "columns.js", "colour.js", "palette.js", "sched.js", "sched_paint.js", "sched_legend.js"],
	["Sched", "StateTrack", "SchedPaint", "above", "chosenStates", "schedLegend"]);

const [UNKNOWN, RUNNING, RUNNABLE, SLEEPING, BLOCKED, HAD_RUN] = [0, 1, 2, 3, 4, 8];
const strings = ["", "a", "b", "sched:sched_process_exec", "filename=<b>"];

/* Changes: [time, thread, CPU or -1, state]; wakeups: [time, waker or -1, wakee]. */
function made({ changes = [], wakeups = [], marks = [], khz = [], end = 100, some = false }) {
	const steps = list => Uint32Array.from(list, (row, i) => row[0] - (i > 0 ? list[i - 1][0] : 0));
	const column = (list, at, add = 0) => Uint32Array.from(list, row => row[at] + add);
	const columns = {
		tid: [10, 20], comm: [1, 2], time: steps(changes), thread: column(changes, 1),
		cpu: column(changes, 2, 1), state: column(changes, 3),
		wake_time: steps(wakeups), waker: column(wakeups, 1, 1), wakee: column(wakeups, 2),
		mark_time: steps(marks), mark_thread: column(marks, 1, 1), mark_cpu: column(marks, 2, 1),
		mark_event: marks.map(() => 3), mark_text: marks.map(() => 4),
		count_time: [], count_thread: [], count_cpu: [], count_event: [], count: [],
		khz_time: steps(khz), khz_cpu: column(khz, 1, 1), khz: column(khz, 2),
	};
	return new Sched({ given_up: false, some, marks: marks.length, counts: 0 }, { values: name => columns[name] },
			 strings, end);
}

/* a runs on CPU 0 until 40, b from there to 70; a is woken at 50 and runs from 70 on. */
const two = {
	changes: [[0, 0, 0, RUNNING], [40, 0, 0, BLOCKED], [40, 1, 0, RUNNING], [50, 0, -1, RUNNABLE],
		[70, 1, 0, SLEEPING], [70, 0, 0, RUNNING]],
	wakeups: [[50, 1, 0]],
};

test("shares of a span are exact, however the columns lie", () => {
	const track = made(two).threads[0];
	assert.deepEqual([...track.shares({ from: 0, to: 100 }, 1)].map(v => Math.round(v * 100)), [70, 20, 10]);
	assert.deepEqual([...track.shares({ from: 30, to: 70 }, 4)].map(v => Math.round(v * 100)),
		[100, 0, 0, 0, 0, 100, 0, 100, 0, 0, 100, 0]);
	for (const columns of [1, 3, 7, 100, 1000]) {
		const shares = track.shares({ from: 0, to: 100 }, columns), sum = [0, 0, 0];
		shares.forEach((v, i) => { sum[i % 3] += v * 100 / columns; });
		assert.deepEqual(sum.map(v => Math.round(v)), [70, 20, 10]);
	}
});

test("nothing is known beyond the ends", () => {
	const track = new StateTrack([20, 60], [RUNNING, SLEEPING], [0, 0], 100);
	assert.deepEqual([...track.shares({ from: -50, to: 20 }, 2)], [0, 0, 0, 0, 0, 0]);
	assert.deepEqual([...new StateTrack([], [], [], 9).shares({ from: 0, to: 9 }, 1)], [0, 0, 0]);
	const half = new StateTrack([0], [RUNNING], [0], 10);
	assert.deepEqual([...half.shares({ from: 0, to: 20 }, 2)], [1, 0, 0, 0, 0, 0]);
});

test("a CPU has one thread after the other", () => {
	const cpu = made(two).cpus.get(0);
	assert.deepEqual([[...cpu.time], [...cpu.value]], [[0, 40, 70], [0, 1, 0]]);
	const idle = made({ changes: [[5, 0, 3, RUNNING], [9, 0, 3, SLEEPING]] }).cpus.get(3);
	assert.deepEqual([[...idle.time], [...idle.state], [...idle.value]], [[5, 9], [RUNNING, SLEEPING], [0, -1]]);
});

test("a thread runs on one CPU at a time", () => {
	const sched = made({ changes: [[5, 0, 3, RUNNING], [9, 0, 1, RUNNING]] });
	assert.deepEqual([...sched.cpus.get(3).value], [0, -1]);
	assert.deepEqual([...sched.cpus.get(1).value], [0]);
});

test("a thread that is first seen as it leaves had run since the change before", () => {
	const sched = made({ changes: [[30, 0, 0, SLEEPING | HAD_RUN], [30, 1, 0, RUNNING], [60, 1, 0, SLEEPING]] });
	assert.deepEqual([[...sched.threads[0].time], [...sched.threads[0].state]], [[0, 30], [RUNNING, SLEEPING]]);
	assert.deepEqual([...sched.cpus.get(0).value], [0, 1, -1]);
	assert.deepEqual(sched.busiest(), [0, 1]);
});

test("a place is told in words", () => {
	const sched = made({ ...two, khz: [[0, 0, 2400000], [60, 0, 800000]], marks: [[55, 0, 1], [56, 1, 0]] });
	const text = steps => steps + " ns";
	assert.equal(sched.threadText(0, 10, text), "running on CPU 0 for 40 ns");
	assert.equal(sched.threadText(0, 45, text), "blocked (uninterruptible) for 10 ns, then woken by b 20");
	assert.equal(sched.threadText(0, 60, text), "waiting for a CPU for 20 ns, woken by b 20");
	assert.equal(sched.threadText(1, 10, text), "");
	assert.equal(sched.cpuText(0, 45, text), "b 20 for 30 ns, 2.40 GHz");
	assert.equal(sched.cpuText(7, 45, text), "");
	const rows = [{ name: "b 20", key: "", id: 20, weight: 0 },
		{ name: "rest", key: "", id: -1, weight: 0, isRest: true }];
	const paint = new SchedPaint(sched, "threads", rows);
	assert.deepEqual(paint.text(0, 55, 3, text),
		["running on CPU 0 for 30 ns", "sched:sched_process_exec: filename=<b>"]);
	assert.deepEqual(paint.text(1, 55, 3, text), []);
	assert.equal(paint.track(0), sched.threads[1]);
	assert.equal(paint.track(1), null);
});

test("what was not recorded is not told", () => {
	const sched = made({ changes: [[5, 0, -1, RUNNING], [9, 1, 1, RUNNING], [20, 1, 1, SLEEPING]], some: true });
	const text = steps => steps + " ns";
	assert.equal(sched.threadText(0, 10, text), "running for 95 ns");
	assert.equal(sched.cpuText(1, 30, text), "idle or in a thread that was not recorded for 80 ns");
});

test("sums and wakers of a span", () => {
	const sched = made({ ...two, wakeups: [[20, -1, 1], [50, 1, 0], [60, -1, 1], [65, 0, 1]] });
	assert.deepEqual(sched.threads[0].sums({ from: 0, to: 100 }), [70, 20, 10, 0]);
	assert.deepEqual(sched.threads[0].sums({ from: 30, to: 55 }), [10, 5, 10, 0]);
	assert.deepEqual(sched.threads[1].sums({ from: 60, to: 90 }), [10, 0, 0, 20]);
	assert.deepEqual(sched.wakers(1, { from: 0, to: 100 }), [["an idle CPU", 2], ["a 10", 1]]);
	assert.deepEqual(sched.wakers(1, { from: 61, to: 100 }), [["a 10", 1]]);
});

test("the legend has the sums of what is chosen", () => {
	const sched = made(two), palette = { states: ["green", "orange", "pink"], select: "", ink: "",
						   taskFill: rank => "hue " + rank };
	const threads = { recorded: 2, scheduledTid: t => [10, 20][t],
			  chosen: task => t => task === "1" || task === "1/" + t };
	const span = { from: 30, to: 60 };
	const rows = state => schedLegend(palette, sched, chosenStates(sched, threads, state, span))
		.map(([, text, weight]) => text + " " + weight);
	assert.deepEqual(rows({ tracks: "threads", task: "", cpu: -1 }),
		["running 0", "waiting for a CPU 0", "blocked (uninterruptible) 0"]);
	assert.deepEqual(rows({ tracks: "threads", task: "1/0", cpu: -1 }),
		["running 10", "waiting for a CPU 10", "blocked (uninterruptible) 10", "sleeping 0",
			"woken 1 time by b 20 0"]);
	assert.deepEqual(rows({ tracks: "threads", task: "1", cpu: -1 }),
		["running 30", "waiting for a CPU 10", "blocked (uninterruptible) 10", "sleeping 0"]);
	assert.deepEqual(rows({ tracks: "cpus", task: "1/0", cpu: 0 })[0], "running 30");
	assert.deepEqual(rows({ tracks: "cpus", task: "", cpu: 7 })[0], "running 0");
	const all = chosenStates(sched, threads, { tracks: "cpus", task: "", cpu: -1 }, span);
	const cpus = schedLegend(palette, sched, all);
	assert.deepEqual(cpus.slice(1).map(([colour, text]) => colour + ": " + text), ["hue 0: a 10", "hue 1: b 20"]);
});

test("a CPU shows the task that it ran last", () => {
	const sched = made(two), track = sched.cpus.get(0);
	const at = Array.from(track.time).map((time, i) => [track.state[i], track.value[i],
		sched.lastTask(track, time + 1)]);
	assert.ok(at.some(([state]) => state === 1));
	for (const [i, [state, task, last]] of at.entries())
		assert.equal(last, state === 1 ? task : i > 0 && at[i - 1][0] === 1 ? at[i - 1][1] : -1);
	assert.equal(sched.lastTask(track, 0), -1);
	assert.deepEqual([0, 1, 9].map(t => sched.rankOf(t)), [0, 1, Infinity]);
});

test("the first value above", () => {
	assert.deepEqual([0, 1, 2, 3, 9].map(v => above([1, 1, 3], v)), [0, 2, 2, 3, 3]);
});
