/* SPDX-License-Identifier: MIT */
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const { channels, mixed } = require("./load_scripts.js")(["colour.js"], ["channels", "mixed"]);

const TEXT = 4.5, GRAPHICS = 3;   /* WCAG 2.2, 1.4.3 and 1.4.11 */
const HUES = ["--hue-0", "--hue-1", "--hue-2", "--hue-3", "--hue-4", "--hue-5", "--hue-6", "--hue-other", "--hue-task",
	      "--hue-root"];

/* By theme the colours of the style sheet; the dark one has those of the light one that it does not change. */
function themes() {
	const text = fs.readFileSync(path.join(__dirname, "style.css"), "utf-8");
	const [light, dark] = text.split("@media (prefers-color-scheme: dark)").map(part =>
		Object.fromEntries([...part.split("}")[0].matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g)]
			.map(m => [m[1], m[2]])));
	return { light, dark: { ...light, ...dark } };
}

/* The relative luminance of WCAG. */
function luminance(colour) {
	const [red, green, blue] = colour.map(value => value / 255)
		.map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a, b) {
	const [less, more] = [luminance(a), luminance(b)].sort((x, y) => x - y);
	return (more + 0.05) / (less + 0.05);
}

/* Foregrounds, backgrounds and the least contrast of each pair. */
const PAIRS = [
	[["--ink"], ["--page", "--panel", "--note", "--bar", "--row-select", "--less", "--same", "--more"], TEXT],
	[["--frame-ink"], ["--less", "--same", "--more", "--rest", ...HUES], TEXT],
	[["--muted"], ["--page", "--panel", "--row-select", "--note"], TEXT],
	[["--accent", "--select"], ["--page", "--panel"], TEXT],
	[["--page"], ["--accent"], TEXT],
	[["--match-ink"], ["--match"], TEXT],
	[["--faded-ink"], ["--faded"], TEXT],
	[["--running", "--runnable", "--blocked", "--accent", "--select", "--focus", "--note-line"],
	 ["--page", "--panel"], GRAPHICS],
	[["--match"], ["--faded"], GRAPHICS],
];

for (const [name, colours] of Object.entries(themes()))
	test("the colours of the " + name + " theme can be told from what is behind them", () => {
		const poor = PAIRS.flatMap(([fronts, backs, least]) => fronts.flatMap(front => backs.map(back =>
			[front, back, contrast(channels(colours[front]), channels(colours[back])), least])))
			.filter(([, , found, least]) => found < least)
			.map(([front, back, found, least]) =>
				front + " on " + back + ": " + found.toFixed(2) + ", not " + least);
		assert.deepEqual(poor, []);
	});

test("steps of a change keep names readable", () => {
	for (const { "--ink": ink, "--less": less, "--same": same, "--more": more } of Object.values(themes()))
		for (const end of [less, more])
			for (let i = 0; i <= 6; i++)
				assert.ok(contrast(channels(ink), mixed(channels(same), channels(end), i / 6)) >= TEXT);
});

test("contrast is that of the definition", () => {
	assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21);
	assert.equal(contrast([9, 9, 9], [9, 9, 9]), 1);
	assert.ok(Math.abs(contrast(channels("#767676"), [255, 255, 255]) - 4.54) < 0.01);
});
