/* SPDX-License-Identifier: MIT */
/* Wheel and mouse on a flame graph: they show another part of its width than the zoomed block. */

const LEAST_SHARE = 1e-6;    /* of the whole width, that can fill the screen */
const DRAG = 4;              /* a press that moves less is a click */

class FlameGestures {
	/** @param {Flame} flame */
	constructor(flame) {
		const { canvas } = flame;
		this.flame = flame;
		/** @type {{x: number, last: number, moved: boolean} | null} */
		this.press = null;
		canvas.addEventListener("wheel", e => this.wheel(e), { passive: false });
		canvas.addEventListener("pointerdown", e => this.down(e));
		canvas.addEventListener("pointermove", e => this.move(e));
		canvas.addEventListener("click", e => this.click(e), { capture: true });
	}

	/* The wheel alone scrolls down, as everywhere; a pinch on a touch pad comes as a wheel with Ctrl. */
	wheel(e) {
		const { flame } = this, unit = e.deltaMode === 1 ? 16 : 1, isZoom = e.ctrlKey || e.metaKey;
		const across = e.shiftKey ? e.deltaX || e.deltaY : e.deltaX;
		if (!flame.tree || (!isZoom && Math.abs(across) <= Math.abs(e.shiftKey ? 0 : e.deltaY)))
			return;
		e.preventDefault();
		if (isZoom)
			this.zoom(flame.place(e).x, 1.0015 ** (e.deltaY * unit));
		else
			this.pan(across * unit);
	}

	/** Makes the visible part @factor times as wide; what is at pixel x stays. */
	zoom(x, factor) {
		const { flame } = this, whole = flame.tree.total[0], width = flame.high - flame.low;
		const now = Math.min(whole, Math.max(whole * LEAST_SHARE, width * factor));
		this.show(flame.low + (width - now) * x / flame.width, now);
	}

	pan(pixels) {
		const { flame } = this, width = flame.high - flame.low;
		this.show(flame.low + pixels * width / flame.width, width);
	}

	show(low, width) {
		const { flame } = this, { tree } = flame;
		flame.showSpan(Math.min(Math.max(low, 0), tree.total[0] - width), width);
	}

	down(e) {
		this.press = e.pointerType === "mouse" && e.button === 0 ?
			{ x: e.clientX, last: e.clientX, moved: false } : null;
	}

	move(e) {
		const { press } = this;
		if (!press || !(e.buttons & 1))
			return;
		if (!press.moved && Math.abs(e.clientX - press.x) >= DRAG) {
			press.moved = true;
			this.flame.canvas.setPointerCapture(e.pointerId);
		}
		if (!press.moved)
			return;
		this.pan(press.last - e.clientX);
		press.last = e.clientX;
	}

	/* The end of a drag is no click. */
	click(e) {
		if (this.press && this.press.moved)
			e.stopImmediatePropagation();
		this.press = null;
	}
}
