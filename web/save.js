/* SPDX-License-Identifier: MIT */
/* The graph as a file: SVG, PNG, folded stacks. */

const MOST_FOLDED = 2000000;
const MOST_SIDE = 16384;   /* pixels of a picture, which every browser can draw */

function xmlText(text) {
	return text.replace(/[<>&"']/g, c => "&#" + c.charCodeAt(0) + ";");
}

/**
 * All rows of graphs, one below the other, as they are zoomed, also those that are scrolled out of sight.
 * @returns {{text: string, width: number, height: number}}
 */
function graphSvg(flames, palette) {
	const { width } = flames[0], height = flames.reduce((sum, flame) => sum + flame.size, 0);
	const size = "viewBox=\"0 0 " + width + " " + height + "\" width=\"" + width + "\" height=\"" + height + "\"";
	const parts = ["<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
		" font-family=\"monospace\" font-size=\"12\">",
		"<rect width=\"100%\" height=\"100%\" fill=\"" + palette.page + "\"/>"];
	let top = 0;
	for (const flame of flames) {
		parts.push(...blocksSvg(flame, palette, top));
		top += flame.size;
	}
	return { text: parts.join("\n") + "\n</svg>\n", width, height };
}

function blocksSvg(flame, palette, top) {
	const { tree, hidden, size } = flame, parts = [];
	for (const rect of flame.rects) {
		if (rect.depth < hidden)
			continue;
		const row = rect.depth - hidden, y = top + (flame.rising ? size - 1 - (row + 1) * ROW : row * ROW);
		const name = rect.more ? plural(rect.more, "narrow block") : flame.name(rect.node);
		const fill = rect.more ? palette.rest : flame.fill(rect.node);
		const blockWidth = Math.max(0, rect.width - (rect.width > 3 ? 1 : 0));
		parts.push("<g><title>" + xmlText(name) + " " + percent(tree.total[rect.node], tree.total[0]) +
			"</title>",
			"<rect x=\"" + rect.x.toFixed(2) + "\" y=\"" + (y + 1) + "\" width=\"" + blockWidth.toFixed(2) +
			"\" height=\"" + (ROW - 1) + "\" fill=\"" + fill + "\"/>");
		const text = rect.more ? "" : flame.fitted(name, blockWidth);
		if (text !== "")
			parts.push("<text x=\"" + (rect.x + 4).toFixed(2) + "\" y=\"" + (y + 15) + "\" fill=\"" +
				palette.ink + "\">" + xmlText(text) + "</text>");
		parts.push("</g>");
	}
	return parts;
}

/** Calls back with the picture. */
function graphPng({ text, width, height }, done) {
	const image = new Image(), canvas = document.createElement("canvas");
	const scale = Math.min(window.devicePixelRatio || 1, MOST_SIDE / width, MOST_SIDE / height);
	canvas.width = Math.max(1, Math.round(width * scale));
	canvas.height = Math.max(1, Math.round(height * scale));
	image.addEventListener("load", () => {
		canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
		canvas.toBlob(done);
	});
	image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
}

/** "outer;inner 42", a line for each stack; names lose the characters that the format needs. */
function graphFolded(tree, frames, ofCallers) {
	const names = new Map(), name = f => {
		if (!names.has(f))
			names.set(f, frames.symbol(f).replace(/;/g, ":").replace(/\s+/g, " "));
		return names.get(f);
	};
	const lines = [];
	for (let i = 0; i < tree.n && lines.length < MOST_FOLDED; i++) {
		if (!(tree.self[i] > 0))
			continue;
		const path = [0, ...tree.path(i)].map(node => tree.frame[node]).filter(f => f >= 0).map(name);
		if (path.length === 0)
			continue;
		lines.push((ofCallers ? path.reverse() : path).join(";") + " " + tree.self[i]);
	}
	return lines.join("\n") + "\n";
}

function saveAs(blob, name) {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(blob);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/**
 * @param {string} kind svg, png or folded
 * @param {Flame[]} flames from top to bottom; the last one has the callees, or is all
 */
function saveGraph(kind, flames, frames, palette, title) {
	const flame = flames[flames.length - 1];
	const stem = title.replace(/[^\w.]+/g, "-").replace(/^[-.]+|-+$/g, "").slice(0, 60);
	const name = (stem || "profile") + "." + kind;
	if (kind === "png")
		graphPng(graphSvg(flames, palette), blob => saveAs(blob, name));
	else if (kind === "svg")
		saveAs(new Blob([graphSvg(flames, palette).text], { type: "image/svg+xml" }), name);
	else
		saveAs(new Blob([graphFolded(flame.tree, frames, flame.direction === "callers")],
			{ type: "text/plain" }), name);
}
