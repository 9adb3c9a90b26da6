/* SPDX-License-Identifier: MIT */
/* The visible span of the time axis and its ticks; times are steps since the first sample. */

const MIN_SPAN = 8;

class Axis {
	/**
	 * @param {number} end the last time that has samples
	 * @param {number} stepNs
	 */
	constructor(end, stepNs) {
		this.end = end + 1;
		this.stepNs = stepNs;
		this.from = 0;
		this.to = this.end;
		this.width = 1;       /* pixels */
	}

	get isWhole() {
		return this.from <= 0 && this.to >= this.end;
	}

	/** Shows a span as far as the recording has it. */
	show(from, to) {
		const length = Math.min(this.end, Math.max(to - from, MIN_SPAN));
		this.from = Math.min(Math.max(from, 0), this.end - length);
		this.to = this.from + length;
	}

	/** Makes the span @factor times as long; the time at pixel x stays. */
	zoom(x, factor) {
		const at = this.time(x), length = (this.to - this.from) * factor;
		this.show(at - length * x / this.width, at - length * x / this.width + length);
	}

	pan(pixels) {
		const by = pixels * (this.to - this.from) / this.width;
		this.show(this.from + by, this.to + by);
	}

	time(x) {
		return this.from + (this.to - this.from) * x / this.width;
	}

	x(time) {
		return (time - this.from) * this.width / (this.to - this.from);
	}

	/** Round times at least @gap pixels apart: [{x, text}]. */
	ticks(gap) {
		const perPixel = (this.to - this.from) * this.stepNs / this.width;
		let step = 10 ** Math.ceil(Math.log10(Math.max(1, gap * perPixel)));
		for (const part of [5, 2])
			if (step / part >= Math.max(1, gap * perPixel))
				step /= part;
		const ticks = [];
		for (let i = Math.ceil(this.from * this.stepNs / step); i * step <= this.to * this.stepNs; i++)
			ticks.push({ x: this.x(i * step / this.stepNs),
				     text: timeText(i * step, step, this.to * this.stepNs) });
		return ticks;
	}

	/** A time in steps, as precisely as a pixel shows it. */
	text(time) {
		return timeText(time * this.stepNs, (this.to - this.from) * this.stepNs / this.width,
			this.to * this.stepNs);
	}
}
