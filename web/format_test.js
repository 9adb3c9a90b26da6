/* SPDX-License-Identifier: MIT */
"use strict";
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { duration, amount, timeText, percent, oneLine } = require("./load_scripts.js")(
	["format.js"], ["duration", "amount", "timeText", "percent", "oneLine"]);

test("a duration has the unit that it rounds to", () => {
	const cases = [[0, "0 ns"], [999, "999 ns"], [1000, "1.00 µs"], [999949, "1.00 ms"], [999999000, "1.00 s"],
		[1234567, "1.23 ms"], [12345678, "12.3 ms"], [1.5e9, "1.50 s"], [999.4e9, "999 s"],
		[999.6e9, "1,000 s"], [12345e9, "12,345 s"]];
	assert.deepEqual(cases.map(([ns]) => duration(ns)), cases.map(([, text]) => text));
});

test("a text of several lines is shown on one", () => {
	assert.equal(oneLine(" sh -c echo a\n\techo b\r\n"), "sh -c echo a echo b");
	assert.equal(oneLine("a\u202eb\u0007"), "a\\u{202e}b\\u{7}");
});

test("numbers are short", () => {
	assert.deepEqual([9999, 10000, 999499, 999501, 1e12, 1e19].map(amount),
		["9,999", "10.0 k", "999 k", "1.00 M", "1.00 T", "10.0 E"]);
	assert.deepEqual([[0, 0], [1, 1e9], [1, 3], [3, 3]].map(([part, whole]) => percent(part, whole)),
		["0%", "<0.01%", "33.33%", "100.00%"]);
	assert.deepEqual([timeText(0, 1), timeText(1.5e9, 1e8), timeText(5e6, 1e6, 2e9)], ["0", "1.5 s", "0.005 s"]);
});
