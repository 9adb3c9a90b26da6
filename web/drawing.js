/* SPDX-License-Identifier: MIT */
/* A canvas that is painted at most once a frame. */

class Drawing {
	/** @param {HTMLCanvasElement} canvas */
	constructor(canvas) {
		this.canvas = canvas;
		this.context = canvas.getContext("2d");
		this.queued = false;
	}

	/* Sizes in pixels of the page; ratio: pixels of the screen for each. */
	setSize(width, height, ratio) {
		const { canvas } = this;
		this.ratio = ratio;
		canvas.width = Math.max(1, Math.round(width * ratio));
		canvas.height = Math.max(1, Math.round(height * ratio));
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
	}

	queue() {
		if (this.queued)
			return;
		this.queued = true;
		requestAnimationFrame(() => {
			this.queued = false;
			this.paint();
		});
	}

	/* Each kind of drawing has its own. */
	paint() {
	}

	/* Where the pointer is in the canvas. */
	place(e) {
		const box = this.canvas.getBoundingClientRect();
		return { x: e.clientX - box.left, y: e.clientY - box.top };
	}
}
