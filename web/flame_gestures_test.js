/* SPDX-License-Identifier: MIT */
"use strict";
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { FlameGestures } = require("./load_scripts.js")(["flame_gestures.js"], ["FlameGestures"]);

/* A graph of weight 1000 on 100 pixels. */
function made(low, high) {
	const flame = {
		canvas: { addEventListener: () => {} }, tree: { total: [1000] }, width: 100, low, high,
		showSpan: (from, width) => Object.assign(flame, { low: from, high: from + width }),
	};
	return { flame, gestures: new FlameGestures(/** @type {any} */ (flame)) };
}

test("the place under the pointer stays when the graph is zoomed", () => {
	const { flame, gestures } = made(0, 1000);
	gestures.zoom(25, 0.5);
	assert.deepEqual([flame.low, flame.high], [125, 625]);
	assert.equal(flame.low + (flame.high - flame.low) * 0.25, 250);
});

test("zoom and moves end at the edges", () => {
	const { flame, gestures } = made(0, 1000);
	gestures.zoom(0, 3);
	assert.deepEqual([flame.low, flame.high], [0, 1000]);
	gestures.zoom(100, 0.1);
	assert.deepEqual([flame.low, flame.high], [900, 1000]);
	gestures.pan(50);
	assert.deepEqual([flame.low, flame.high], [900, 1000]);
	gestures.pan(-50);
	assert.deepEqual([flame.low, flame.high], [850, 950]);
	gestures.pan(-1e9);
	assert.deepEqual([flame.low, flame.high], [0, 100]);
	gestures.zoom(0, 1e-12);
	assert.equal(flame.high, 0.001);
});
