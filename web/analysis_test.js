// SPDX-License-Identifier: MIT
'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const load = require('./load_scripts.js');

const page = load(['analysis.js'], ['analysisCompare', 'analysisMatches']);

test('rows are ordered by value, unknown ones last in both directions', () => {
	const values = [3, undefined, 1, 2];
	const sorted = down => [...values].sort((a, b) => page.analysisCompare(a, b, down));

	// Array.prototype.sort puts undefined last by itself: ask for each pair, too
	assert.deepEqual(sorted(true), [3, 2, 1, undefined]);
	assert.deepEqual(sorted(false), [1, 2, 3, undefined]);
	for (const down of [true, false]) {
		assert.equal(page.analysisCompare(undefined, 1, down), 1);
		assert.equal(page.analysisCompare(1, undefined, down), -1);
	}
	assert.equal(page.analysisCompare(undefined, undefined, true), 0);
	assert.ok(page.analysisCompare('a', 'b', false) < 0);
});

test('a row is chosen by all words in any case', () => {
	assert.ok(page.analysisMatches('kworker/0:2 1.5', 'KWORKER 1.5'));
	assert.ok(page.analysisMatches('anything', ''));
	assert.ok(!page.analysisMatches('kworker/0:2 1.5', 'kworker bash'));
});
