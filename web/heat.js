/* SPDX-License-Identifier: MIT */
/*
 * The sub-second heat map: time runs down a column and on in the next one. A column is a second, or less in a short
 * recording. Work that comes at regular times makes rows, a pause makes a hole.
 */

const HEAT_ROWS = 50;
const FEW_COLUMNS = 24;

class HeatMap {
	/**
	 * @param {Axis} axis
	 */
	constructor(axis) {
		const spanNs = (axis.to - axis.from) * axis.stepNs;
		let period = 1e9;
		while (period > 1000 && spanNs / period < FEW_COLUMNS)
			period /= 10;
		while (spanNs / period > axis.width / 2)   /* columns of two pixels at least */
			period *= 2;
		this.period = Math.max(HEAT_ROWS, period / axis.stepNs);   /* in steps */
		this.step = this.period / HEAT_ROWS;
		this.first = Math.floor(axis.from / this.period);
		this.columns = Math.max(1, Math.ceil(axis.to / this.period) - this.first);
		this.from = this.first * this.period;
	}

	/** Weights by cell, column after column. */
	values(event) {
		return event.samples.histogram(this.from, this.step, this.columns * HEAT_ROWS, event);
	}

	/** The number of the cell at a place, whose shares of width and height are given. */
	cellAt(x, y) {
		const clamp = (value, most) => Math.min(most - 1, Math.max(0, Math.floor(value * most)));
		return clamp(x, this.columns) * HEAT_ROWS + clamp(y, HEAT_ROWS);
	}

	/** The times from one cell to another, both inclusive. */
	range(a, b) {
		return { from: Math.max(0, Math.ceil(this.from + Math.min(a, b) * this.step)),
			 to: Math.ceil(this.from + (Math.max(a, b) + 1) * this.step) - 1 };
	}

	/** Whether a cell lies in a range. */
	isIn(cell, range) {
		const at = this.from + cell * this.step;
		return at + this.step > range.from && at <= range.to;
	}
}
