/* SPDX-License-Identifier: MIT */
/* The graph as a file: SVG, PNG, folded stacks. */

const MOST_FOLDED = 2000000;

function xmlText(text) {
	return text.replace(/[<>&"']/g, c => "&#" + c.charCodeAt(0) + ";");
}

/** All rows of the graph as they are zoomed, also those that are scrolled out of sight. */
function graphSvg(flame, palette) {
	const { width, tree } = flame, height = flame.rows.length * ROW + 1;
	const size = "viewBox=\"0 0 " + width + " " + height + "\" width=\"" + width + "\" height=\"" + height + "\"";
	const parts = ["<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
		" font-family=\"monospace\" font-size=\"12\">",
		"<rect width=\"100%\" height=\"100%\" fill=\"" + palette.page + "\"/>"];
	for (const rect of flame.rects) {
		const y = flame.rising ? height - 1 - (rect.depth + 1) * ROW : rect.depth * ROW;
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
	return parts.join("\n") + "\n</svg>\n";
}

/** "outer;inner 42", a line for each stack; names lose the characters that the format needs. */
function graphFolded(tree, frames, ofCallers) {
	const names = new Map(), name = f => {
		if (!names.has(f))
			names.set(f, frames.symbol(f).replace(/;/g, ":").replace(/\s+/g, " "));
		return names.get(f);
	};
	const lines = [];
	for (let i = 1; i < tree.n && lines.length < MOST_FOLDED; i++) {
		if (!(tree.self[i] > 0))
			continue;
		const path = tree.path(i).map(node => name(tree.frame[node]));
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

/** @param {string} kind svg, png or folded */
function saveGraph(kind, flame, frames, palette, title) {
	const stem = title.replace(/[^\w.]+/g, "-").replace(/^[-.]+|-+$/g, "").slice(0, 60);
	const name = (stem || "profile") + "." + kind;
	if (kind === "png")
		flame.canvas.toBlob(blob => saveAs(blob, name));
	else if (kind === "svg")
		saveAs(new Blob([graphSvg(flame, palette)], { type: "image/svg+xml" }), name);
	else
		saveAs(new Blob([graphFolded(flame.tree, frames, flame.direction === "callers")],
			{ type: "text/plain" }), name);
}
