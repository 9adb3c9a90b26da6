/* SPDX-License-Identifier: MIT */
/*
 * The flame graph on a canvas. Only blocks of at least half a pixel are laid out, so the work depends on the visible
 * part and not on the size of the tree. The canvas covers the visible part of a taller scrolled area.
 */

const ROW = 20;
const MIN_WIDTH = 0.5;
const MIN_MARK = 2;  /* highlighted blocks stay visible, however narrow they are */
const CHAR_FONT = "12px ui-monospace, 'SF Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";

class Flame extends Drawing {
	/* on: { zoom(node), hover(rect or null, x, y), cursor(node) } */
	constructor(canvas, frames, palette, on) {
		super(canvas);
		this.space = canvas.parentElement;
		this.scroll = this.space.parentElement;
		this.frames = frames;
		this.palette = palette;
		this.on = on;
		this.tree = null;
		this.direction = "callees"; /* of the tree: callees or callers */
		this.rising = false;       /* flame: from the bottom up */
		this.hidden = 0;           /* outer rows that are not shown */
		this.zoom = 0;             /* the node that fills the width */
		this.cursor = 0;           /* the node of the keyboard cursor */
		this.hovered = null;
		this.selected = -1;        /* the frame that is selected in the table */
		this.wanted = null;        /* matches of a search, one byte for each frame */
		this.named = new Map();    /* in a comparison: what a command is called in the baseline */
		this.change = null;        /* of a node, in a comparison: from -1 to 1 */
		this.low = this.high = 0;  /* the visible part of the axis */
		this.rects = [];           /* { node, depth, x, width, more: number of siblings too thin to draw } */
		this.rows = [];
		this.charWidth = 0;
		this.gestures = new FlameGestures(this);   /* before click(), from which it keeps the end of a drag */
		canvas.addEventListener("mousemove", e => this.pointer(e));
		canvas.addEventListener("mouseleave", () => this.leave());
		canvas.addEventListener("click", e => this.click(e));
		this.scroll.addEventListener("scroll", () => { this.leave(); this.queue(); });
		new ResizeObserver(() => this.resize()).observe(this.scroll);
	}

	setTree(tree) {
		this.tree = tree;
		this.zoom = this.cursor = 0;
		this.low = tree.start[0];
		this.high = this.low + tree.total[0];
		this.target = null;
		this.leave();
		this.layout();
		this.reveal(0);
	}

	/* The weights of the tree have changed. */
	reweighed(zoom) {
		if (!this.tree)
			return;
		this.zoom = zoom;
		this.low = this.tree.startOf(zoom);
		this.high = this.low + this.tree.total[zoom];
		this.target = null;
		this.leave();
		this.layout();
	}

	/* The width of the canvas or the resolution of the screen may have changed. */
	resize() {
		this.width = this.scroll.clientWidth;
		this.height = this.scroll.clientHeight;
		this.setSize(this.width, this.height, window.devicePixelRatio || 1);
		this.layout();
		if (this.tree)
			this.reveal(this.zoom, true);
		this.paint();
	}

	zoomTo(node, animate) {
		const tree = this.tree;
		const low = tree.startOf(node), high = low + tree.total[node];
		const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
		this.zoom = this.cursor = node;
		this.leave();
		if (!animate || calm || !(this.high > this.low) || !(high > low)) {
			this.target = null;
			this.low = low;
			this.high = high;
			this.layout();
			this.reveal(node, true);
			return;
		}
		this.target = { from: [this.low, this.high], to: [low, high], begin: performance.now() };
		this.step();
	}

	/* Shows a part of the axis that need not be a block. */
	showSpan(low, width) {
		this.target = null;
		this.low = low;
		this.high = low + width;
		this.leave();
		this.layout();
	}

	/* Whether the zoomed block fills the width. */
	get isAtZoom() {
		return this.low === this.tree.startOf(this.zoom) && this.high === this.low + this.tree.total[this.zoom];
	}

	step() {
		const t = this.target;
		if (!t)
			return;
		const part = Math.min(1, (performance.now() - t.begin) / 180);
		const eased = 1 - (1 - part) ** 3;
		/* Animates both edges, with geometric steps of the width: a constant speed of magnification. */
		const width = (t.from[1] - t.from[0]) ** (1 - eased) * (t.to[1] - t.to[0]) ** eased;
		const span = (t.to[1] - t.to[0]) - (t.from[1] - t.from[0]);
		const share = span ? (width - (t.from[1] - t.from[0])) / span : eased;
		this.low = t.from[0] + (t.to[0] - t.from[0]) * share;
		this.high = this.low + width;
		if (part >= 1) {
			[this.low, this.high] = t.to;
			this.target = null;
		}
		this.layout();
		if (this.target)
			requestAnimationFrame(() => this.step());
		else
			this.reveal(this.zoom, true);
		this.paint();
	}

	/* Lays out the visible nodes. */
	layout() {
		const tree = this.tree;
		this.rects = [];
		this.rows = [];
		if (!tree || !this.width)
			return;
		const scale = this.high > this.low ? this.width / (this.high - this.low) : 0;
		const todo = [0];
		while (todo.length > 0) {
			const node = todo.pop();
			const first = tree.first[node], end = tree.first[node + 1];
			this.add(node, tree.depth[node], tree.start[node], tree.total[node], 0, scale);
			tree.arrange(node);
			for (let k = this.firstShown(first, end); k < end && tree.start[tree.child[k]] < this.high;) {
				const c = tree.child[k];
				if (tree.total[c] * scale < MIN_WIDTH) {
					k = this.addThin(node, k, end, scale);
				} else {
					todo.push(c);
					k++;
				}
			}
		}
		this.space.style.height = Math.max(this.size, this.height || 0) + "px";
		this.queue();
	}

	/* One block for a run of siblings that are too thin to draw; the index of the next one. */
	addThin(node, k, end, scale) {
		const tree = this.tree, from = tree.child[k];
		let last = from, n = 0;
		if (!tree.ordered) {  /* all later siblings are thinner */
			for (let high = end; k < high;) {
				const middle = (k + high) >> 1;
				if (tree.total[tree.child[middle]] > 0) {
					n += middle + 1 - k;
					last = tree.child[middle];
					k = middle + 1;
				} else {
					high = middle;
				}
			}
			k = end;
		} else {
			const right = tree.start[from] + MIN_WIDTH / scale;
			for (; k < end && tree.total[tree.child[k]] * scale < MIN_WIDTH &&
			       (n === 0 || tree.start[tree.child[k]] < right); k++, n++)
				last = tree.child[k];
		}
		if (n > 0)
			this.add(node, tree.depth[from], tree.start[from],
				 tree.start[last] + tree.total[last] - tree.start[from], n, scale);
		return k;
	}

	/* The first visible child: children lie side by side in order. */
	firstShown(first, end) {
		const { child, start, total } = this.tree;
		while (first < end) {
			const middle = (first + end) >> 1;
			if (start[child[middle]] + total[child[middle]] <= this.low)
				first = middle + 1;
			else
				end = middle;
		}
		return first;
	}

	add(node, depth, start, weight, more, scale) {
		const x = Math.max(0, (start - this.low) * scale);
		const right = Math.min(this.width, (start + weight - this.low) * scale);
		if (right - x < (more ? MIN_WIDTH : 0))
			return;
		const rect = { node, depth, x, width: right - x, more };
		this.rects.push(rect);
		(this.rows[depth] ||= []).push(rect);
	}

	/* The height of all rows. */
	get size() {
		return (this.rows.length - this.hidden) * ROW + 1;
	}

	/* Top of a row in the scrolled area. */
	top(depth) {
		if (!this.rising)
			return (depth - this.hidden) * ROW;
		return Math.max(this.size, this.height) - (depth - this.hidden + 1) * ROW;
	}

	/* Scrolls to a node. A zoomed node gets room on the side of its callees. */
	reveal(node, zoomed = false) {
		const top = this.top(this.tree.depth[node]);
		const margin = Math.min(3 * ROW, this.height / 3);
		if (node === 0)
			this.scroll.scrollTop = this.rising ? this.space.offsetHeight : 0;
		else if (zoomed ? !this.rising : top - margin < this.scroll.scrollTop)
			this.scroll.scrollTop = top - margin;
		else if (zoomed || top + ROW + margin > this.scroll.scrollTop + this.height)
			this.scroll.scrollTop = top + ROW + margin - this.height;
		this.queue();
	}

	paint() {
		const { context, palette, height } = this;
		if (!this.tree || !this.width)
			return;
		const ratio = this.ratio, offset = this.scroll.scrollTop;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = palette.page;
		context.fillRect(0, 0, this.width, height);
		context.font = CHAR_FONT;
		context.textBaseline = "middle";
		this.charWidth ||= context.measureText("M".repeat(20)).width / 20;
		const hasMarks = this.selected >= 0 || this.wanted !== null;
		this.rows.forEach((row, depth) => {
			const y = this.top(depth) - offset;
			if (depth >= this.hidden && y > -ROW && y < height) {
				const marked = rect => hasMarks && !rect.more && rect.node > 0 &&
					this.isMarked(this.tree.frame[rect.node]);
				row.filter(rect => !marked(rect)).forEach(rect => this.paintRect(rect, y));
				row.filter(marked).forEach(rect => this.paintRect(rect, y));
			}
		});
	}

	/* Painted last, because it may be wider than its block. */
	isMarked(frame) {
		return frame === this.selected || (this.wanted !== null && this.wanted[frame] === 1);
	}

	paintRect(rect, y) {
		const { context, palette, tree } = this;
		const gap = rect.width > 3 ? 1 : 0;
		let width = rect.width - gap;
		const frame = rect.more ? -1 : tree.frame[rect.node];
		let fill = rect.more ? palette.rest : this.fill(rect.node);
		let ink = palette.ink;

		if (this.wanted && !rect.more && rect.node > 0) {
			if (this.wanted[frame]) {
				[fill, ink] = [palette.match, palette.matchInk];
				width = Math.max(width, MIN_MARK);
			} else {
				[fill, ink] = [palette.faded, palette.fadedInk];
			}
		} else if (this.selected >= 0 && rect.node > 0 && (rect.more || frame !== this.selected)) {
			[fill, ink] = [palette.faded, palette.fadedInk];
		}
		if (this.selected >= 0 && frame === this.selected) {
			width = Math.max(width, MIN_MARK);
			if (width < 4)
				fill = palette.select;
		}
		context.fillStyle = fill;
		context.fillRect(rect.x, y + 1, width, ROW - 1);
		if (rect.more)
			return;
		if (tree.depth[rect.node] < tree.depth[this.zoom])
			this.shade(rect, y, width);
		if (this.selected >= 0 && frame === this.selected)
			this.outline(rect, y, width, palette.select, 1.5);
		if (this.hovered && this.hovered.node === rect.node && !this.hovered.more)
			this.outline(rect, y, width, palette.ink, 1);
		if (rect.node === this.cursor && this.canvas.matches(":focus-visible"))
			this.outline(rect, y, width, palette.ink, 2);
		this.paintName(rect, y, width, ink);
	}

	fill(node) {
		const { palette, tree } = this;
		return palette.by === "change" ? palette.change(this.change(tree, node)) :
			palette.fill(tree.frame[node]);
	}

	/* Rows above the zoomed node are only context. */
	shade(rect, y, width) {
		this.context.globalAlpha = 0.45;
		this.context.fillStyle = this.palette.page;
		this.context.fillRect(rect.x, y + 1, width, ROW - 1);
		this.context.globalAlpha = 1;
	}

	outline(rect, y, width, color, line) {
		this.context.strokeStyle = color;
		this.context.lineWidth = line;
		if (width > line)
			this.context.strokeRect(rect.x + line / 2, y + 1 + line / 2, width - line, ROW - 1 - line);
	}

	paintName(rect, y, width, ink) {
		const name = this.fitted(this.name(rect.node), width);
		if (name === "")
			return;
		this.context.fillStyle = ink;
		this.context.fillText(name, rect.x + 4, y + 1 + ROW / 2, width - 6);
	}

	/* As much of a name as a block has room for; "": too little. */
	fitted(name, width) {
		const room = Math.floor((width - 8) / this.charWidth);
		return room < 2 ? "" : name.length > room ? name.slice(0, room - 1) + "…" : name;
	}

	name(node) {
		const frame = this.tree.frame[node], before = this.named.get(frame);
		return frame < 0 ? "all" : this.frames.symbol(frame) + (before ? " (baseline: " + before + ")" : "");
	}

	hit(e) {
		const place = this.place(e), { x } = place, y = place.y + this.scroll.scrollTop;
		const depth = this.rising ? Math.floor((this.top(0) + ROW - y) / ROW) :
			Math.floor(y / ROW) + this.hidden;
		const row = depth >= this.hidden ? this.rows[depth] || [] : [];
		return row.find(r => x >= r.x && x < r.x + r.width) || null;
	}

	pointer(e) {
		const rect = this.hit(e);
		if (rect !== this.hovered) {
			this.hovered = rect;
			this.queue();
		}
		this.canvas.style.cursor = rect ? "pointer" : "";
		this.on.hover(rect, e.clientX, e.clientY);
	}

	leave() {
		if (this.hovered)
			this.queue();
		this.hovered = null;
		this.on.hover(null);
	}

	click(e) {
		const rect = this.hit(e);
		if (rect)
			this.on.zoom(rect.node);
	}

	moveCursor(node) {
		this.cursor = node;
		this.reveal(node);
		this.on.cursor(node);
	}

	/* Arrow keys move to siblings, to the parent or to the heaviest child, by direction. */
	key(name) {
		const tree = this.tree;
		const outward = this.rising ? "ArrowUp" : "ArrowDown", inward = this.rising ? "ArrowDown" : "ArrowUp";
		const at = this.cursor;
		let to = -1;
		if (name === inward) {
			to = tree.parent[at];
		} else if (name === outward) {
			tree.startOf(at);
			const shown = this.firstShown(tree.first[at], tree.first[at + 1]);
			to = shown < tree.first[at + 1] ? tree.child[shown] : -1;
		} else if (name === "ArrowLeft" || name === "ArrowRight") {
			const row = (this.rows[tree.depth[at]] || []).filter(r => !r.more).sort((a, b) => a.x - b.x);
			const i = row.findIndex(r => r.node === at) + (name === "ArrowLeft" ? -1 : 1);
			to = i >= 0 && i < row.length ? row[i].node : -1;
		} else {
			return false;
		}
		if (to >= 0)
			this.moveCursor(to);
		return true;
	}
}
