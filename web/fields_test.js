/* SPDX-License-Identifier: MIT */
"use strict";
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { gapsText, firstEvent } = require("./load_scripts.js")(["format.js", "event.js", "fields.js"],
	["gapsText", "firstEvent"]);

test("gaps have a count and percentiles", () => {
	assert.equal(gapsText(null), "");
	assert.equal(gapsText([1, 5, 5, 5, 5, 5]),
		"1 gap: shortest 5 ns · median 5 ns · 90 % 5 ns · 99 % 5 ns · longest 5 ns");
	assert.equal(gapsText([2000, 10, 1000, 2500000, 3e9, 4e9]),
		"2,000 gaps: shortest 10 ns · median 1.00 µs · 90 % 2.50 ms · 99 % 3.00 s · longest 4.00 s");
});

test("a page opens with an event that has stacks and many samples, the first of several", () => {
	const event = (nrSamples, hasStacks) => ({ nrSamples, hasStacks, isEmpty: nrSamples === 0 });
	assert.equal(firstEvent([]), -1);
	assert.equal(firstEvent([event(0, false)]), -1);
	assert.equal(firstEvent([event(1, false), event(50, false), event(60, false)]), 1);
	assert.equal(firstEvent([event(900, false), event(0, true), event(4, true), event(7, true),
				 event(13, true)]), 3);
	assert.equal(firstEvent([event(4000, true), event(4001, true)]), 0);
});
