/* SPDX-License-Identifier: MIT */
"use strict";
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { Axis, HeatMap, Samples, timeText, columnValues, stateOf, addressOf, rangeOf } = require("./load_scripts.js")(
	["format.js", "columns.js", "samples.js", "axis.js", "heat.js", "address.js"],
	["Axis", "HeatMap", "Samples", "timeText", "columnValues", "stateOf", "addressOf", "rangeOf"]);

function axis(end = 9999, stepNs = 1e6, width = 1000) {
	return Object.assign(new Axis(end, stepNs), { width });
}

test("times and places belong together", () => {
	const a = axis();
	assert.equal(a.time(500), 5000);
	assert.equal(a.x(5000), 500);
	a.zoom(500, 0.1);
	assert.deepEqual([a.from, a.to], [4500, 5500]);
	assert.equal(a.time(500), 5000);
	a.pan(100);
	assert.deepEqual([a.from, a.to], [4600, 5600]);
});

test("the axis ends where the recording does", () => {
	const a = axis();
	a.show(-500, 500);
	assert.deepEqual([a.from, a.to], [0, 1000]);
	a.pan(1e9);
	assert.deepEqual([a.from, a.to], [9000, 10000]);
	a.zoom(0, 1e9);
	assert.deepEqual([a.from, a.to, a.isWhole], [0, 10000, true]);
	a.show(5000, 5000);
	assert.equal(a.to - a.from, 8);
});

test("ticks are at round times in one unit", () => {
	assert.deepEqual(axis().ticks(90).map(tick => tick.text),
		["0", "1 s", "2 s", "3 s", "4 s", "5 s", "6 s", "7 s", "8 s", "9 s", "10 s"]);
	const short = axis(1199, 1e6, 600).ticks(90);
	assert.deepEqual(short.map(tick => tick.text), ["0", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1.0 s", "1.2 s"]);
	assert.equal(short[1].x, 100);
	assert.equal(timeText(1234567, 1000), "1.235 ms");
	assert.deepEqual(axis(0, 1, 1000).ticks(90).map(tick => tick.text), ["0", "1 ns"]);
});

test("a cell of the heat map is a span of time", () => {
	const map = new HeatMap(axis(59999));       /* a minute: columns of a second, cells of 20 ms */
	assert.deepEqual([map.period, map.columns, map.step], [1000, 60, 20]);
	const cell = map.cellAt(3.5 / 60, 0.5);
	assert.deepEqual(map.range(cell, cell), { from: 3500, to: 3519 });
	assert.deepEqual(map.range(cell + 50, cell), { from: 3500, to: 4519 });
	assert.ok(map.isIn(cell, { from: 3519, to: 3519 }) && !map.isIn(cell, { from: 3520, to: 9999 }));
	assert.equal(new HeatMap(axis(9999)).period, 100);
	assert.ok(new HeatMap(axis(2 ** 26, 1e9)).columns <= 501);
});

function samples() {
	const columns = { time: [0, 10, 0, 10, 80], cpu: [1, 2, 1, 2, 0], cell: [0, 1, 0, 1, 0], count: [1, 1, 2, 1, 1],
			  period: [5, 6, 7, 8, 9] };
	return new Samples({ values: name => Uint32Array.from(columns[name]) }, true);
}

test("samples of a range are summed by cell", () => {
	const s = samples(), weights = [0, 0], counts = [0, 0];
	assert.deepEqual([...s.time], [0, 10, 10, 20, 100]);
	assert.deepEqual([s.lower(10), s.lower(11), s.lower(1000)], [1, 3, 5]);
	s.sum(1, 4, -1, 1, weights, counts);
	assert.deepEqual([weights, counts], [[7, 14], [2, 2]]);
	s.sum(1, 4, 1, -1, weights, counts);
	assert.deepEqual([weights, counts], [[7, 0], [2, 0]]);
	assert.deepEqual(s.cpus(), [[-1, 9], [0, 12], [1, 14]]);
	let sums = s.sums({ from: 0, to: 10 }, -1, 2, null);
	assert.deepEqual([[...sums.weights], [...sums.counts]], [[12, 6], [3, 1]]);
	sums = s.sums({ from: 10, to: 20 }, -1, 2, sums);
	assert.deepEqual([[...sums.weights], [...sums.counts]], [[7, 14], [2, 2]]);
});

test("densities have a column for each part of the span", () => {
	const s = samples(), grid = new Float32Array(20);
	s.density({ from: 0, to: 100 }, 10, Uint16Array.of(0, 1), null, grid);
	assert.deepEqual([...grid], [5, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 8, 0, 0, 0, 0, 0, 0, 0]);
	assert.deepEqual([...s.histogram(0, 50, 3, { wanted: [1, 0], selection: { cpu: -1 } })], [12, 0, 9]);
});

test("columns are added up from their bytes", () => {
	assert.deepEqual([...columnValues(Uint8Array.of(9, 1, 2, 0, 1), 1, 2, 2, 1000)], [1001, 1258]);
	assert.deepEqual([...columnValues(new Uint8Array(0), 0, 3, 0, 7)], [7, 7, 7]);
	assert.ok(columnValues(Uint8Array.of(255, 255, 255, 255), 0, 1, 4, 1) instanceof Float64Array);
});

test("an address that makes no sense has the defaults", () => {
	const state = stateOf("#range=9-x&task=<b>&cpu=-4&hide=1.d2&at=5-17&tracks=none&view=callers");
	assert.deepEqual([state.range, state.task, state.cpu, state.hide, state.at, state.tracks, state.view],
			 ["", "", -1, "1.d2", "5-17", "threads", "callers"]);
	assert.equal(addressOf(state), "#view=callers&at=5-17&hide=1.d2");
	assert.deepEqual([rangeOf("5-17"), rangeOf("17-5"), rangeOf("")], [{ from: 5, to: 17 }, null, null]);
});
