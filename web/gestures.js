/* SPDX-License-Identifier: MIT */
/* Pointer, wheel and keys on the time axis: they select a range, move its edges, pan and zoom. */

const EDGE = 5;          /* pixels around an edge of the selection that move it */
const CLICK = 3;         /* a press that moves less is a click */

class Gestures {
	/** @param {Timeline} timeline */
	constructor(timeline) {
		const { canvas } = timeline;
		this.timeline = timeline;
		this.pointers = new Map(); /* pressed, by id: their x */
		/* a press: { x, y, last (x), moved, pan, edge (of the range), before (the range) } */
		this.drag = null;
		canvas.addEventListener("pointerdown", e => this.down(e));
		canvas.addEventListener("pointermove", e => this.move(e));
		canvas.addEventListener("pointerup", e => this.up(e));
		canvas.addEventListener("pointercancel", e => this.up(e));
		canvas.addEventListener("pointerleave", () => timeline.leave());
		canvas.addEventListener("dblclick", () => this.zoomToRange());
		canvas.addEventListener("wheel", e => this.wheel(e), { passive: false });
	}

	/* The axis shows another span. */
	moved() {
		this.timeline.on.window();
		this.timeline.queue();
	}

	/* Which edge of the selection a place is on: "from", "to" or null. */
	edge(x) {
		const { axis, range } = this.timeline;
		if (!range || this.timeline.mode === "heat")
			return null;
		if (Math.abs(x - axis.x(range.from)) <= EDGE)
			return "from";
		return Math.abs(x - axis.x(range.to + 1)) <= EDGE ? "to" : null;
	}

	down(e) {
		if (e.button > 1)
			return;
		const { timeline } = this, { x, y } = timeline.place(e);
		timeline.canvas.setPointerCapture(e.pointerId);
		this.pointers.set(e.pointerId, x);
		if (this.pointers.size > 1) {
			this.drag = null;
			return;
		}
		const edge = this.edge(x);
		this.drag = { x, y, moved: false, pan: e.shiftKey || e.button === 1 || (y < RULER && !edge), last: x,
			      before: timeline.range, edge };
	}

	move(e) {
		const { timeline } = this, { x, y } = timeline.place(e), isHeat = timeline.mode === "heat";
		if (this.pointers.size === 2 && this.pointers.has(e.pointerId)) {
			this.pinch(e.pointerId, x);
			return;
		}
		const { drag } = this;
		if (!drag) {
			timeline.hover(e, x, y, this.edge(x));
			return;
		}
		drag.moved ||= Math.abs(x - drag.x) >= CLICK || (isHeat && Math.abs(y - drag.y) >= CLICK);
		if (!drag.moved)
			return;
		timeline.on.hover(null);
		if (drag.pan) {
			timeline.axis.pan(drag.last - x);
			drag.last = x;
			timeline.queue();
		} else {
			timeline.on.select(this.dragged(drag, x, y), false);
		}
	}

	dragged(drag, x, y) {
		const { axis, mode, map } = this.timeline;
		const time = at => Math.round(axis.time(Math.min(axis.width, Math.max(0, at))));
		if (mode === "heat") {
			const cell = (x, y) => map.cellAt(x / axis.width, (y - RULER) / HEAT);
			return map.range(cell(drag.x, drag.y), cell(x, y));
		}
		const fixed = drag.edge === "from" ? drag.before.to + 1 :
			drag.edge === "to" ? drag.before.from : time(drag.x);
		const from = Math.min(fixed, time(x)), to = Math.max(fixed, time(x));
		return { from, to: Math.max(from, to - 1) };
	}

	pinch(id, x) {
		const other = [...this.pointers].find(([key]) => key !== id)[1], before = this.pointers.get(id);
		const distance = Math.max(10, Math.abs(before - other)), now = Math.max(10, Math.abs(x - other));
		this.timeline.axis.zoom(other, distance / now);
		this.pointers.set(id, x);
		this.moved();
	}

	up(e) {
		const { drag, timeline } = this, { x, y } = timeline.place(e);
		this.pointers.delete(e.pointerId);
		this.drag = null;
		if (!drag || e.type === "pointercancel")
			return;
		if (!drag.moved) {
			const lost = y < RULER ? timeline.lostAt(x) : null;
			if (lost)
				timeline.on.select({ from: lost.from, to: lost.to }, true);
			else if (timeline.range && e.detail < 2 && !this.edge(x))
				timeline.on.select(null, true);
		} else if (drag.pan) {
			timeline.on.window();
		} else {
			timeline.on.select(this.dragged(drag, x, y), true);
		}
	}

	wheel(e) {
		const { axis } = this.timeline, { x } = this.timeline.place(e), unit = e.deltaMode === 1 ? 16 : 1;
		const across = e.shiftKey ? e.deltaX || e.deltaY : e.deltaX;
		if (Math.abs(across) > Math.abs(e.deltaY) || e.shiftKey)
			axis.pan(across * unit);
		else
			axis.zoom(x, 1.0015 ** (e.deltaY * unit));
		e.preventDefault();
		this.moved();
	}

	zoomToRange() {
		const { axis, range } = this.timeline, margin = range ? (range.to - range.from) / 20 : 0;
		if (range)
			axis.show(range.from - margin, range.to + margin);
		else
			axis.show(0, axis.end);
		this.moved();
	}

	/* Keys: arrows move the selection, or the axis if there is none. */
	key(name) {
		const { axis, range, on } = this.timeline, part = (axis.to - axis.from) / 20;
		const step = { ArrowLeft: -1, ArrowRight: 1 }[name];
		if (step && range) {
			const by = Math.round(Math.max(1, part) * step), length = range.to - range.from;
			const from = Math.min(Math.max(0, range.from + by), Math.max(0, axis.end - 1 - length));
			on.select({ from, to: from + length }, true);
		} else if (step) {
			axis.pan(step * axis.width / 10);
		} else if (name === "+" || name === "=" || name === "-") {
			const middle = range ? axis.x((range.from + range.to) / 2) : axis.width / 2;
			axis.zoom(Math.min(axis.width, Math.max(0, middle)), name === "-" ? 1.5 : 1 / 1.5);
		} else if (name === "Enter" || name === "Home") {
			this.zoomToRange();
		} else if (name === " ") {
			on.select(range ? null : { from: Math.round(axis.from + 8 * part),
							to: Math.round(axis.from + 12 * part) }, true);
		} else {
			return false;
		}
		this.moved();
		return true;
	}
}
