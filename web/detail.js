/* SPDX-License-Identifier: MIT */
/* What the page says of a block: the tip under the pointer, the line below the graph, the path to the zoom. */

function textElement(tag, text) {
	const element = document.createElement(tag);
	element.textContent = text;
	return element;
}

/* The directory on the recorder's machine means nothing here. */
function commandName(command) {
	return command.replace(/^\.{0,2}\/(\S*\/)?/, "");
}

class Detail {
	/** @param {Profile} profile */
	constructor(profile) {
		this.profile = profile;
		this.event = null;
		this.state = null;
	}

	update(event, state) {
		this.event = event;
		this.state = state;
	}

	/* The properties of a node: [label, value] pairs. */
	facts(flame, node) {
		const { event, state } = this, tree = flame.tree;
		const whole = tree.total[0], parent = tree.parent[node];
		const shareOf = weight => percent(weight, whole) + " = " + weightText(event, weight);
		const callees = flame.direction === "callees";
		const facts = event.old ? this.changes(tree, node) : [["Total", shareOf(tree.total[node])],
			["Samples", integer.format(tree.samples[node])]];
		if (callees && node > 0 && !event.old) {
			facts.push(["Self", shareOf(tree.self[node])]);
			facts.push(["Children", percent(tree.total[node] - tree.self[node], whole) + " = " +
				weightText(event, tree.total[node] - tree.self[node])]);
		}
		if (parent > 0)
			facts.push([callees ? "Of its caller" : "Of its callee",
				percent(tree.total[node], tree.total[parent])]);
		if (flame.zoom > 0 && node !== flame.zoom && tree.depth[node] > tree.depth[flame.zoom])
			facts.push(["Of the zoom", percent(tree.total[node], tree.total[flame.zoom])]);
		if (node === 0 && !event.old && state.view !== "sandwich" && event.whole > whole)
			facts.push(["Of the recording", percent(whole, event.whole)]);
		return facts;
	}

	/* What a node has in both recordings. */
	changes(tree, node) {
		const { event } = this;
		const weights = event.compared(tree, node, true), shares = event.compared(tree, node, false);
		const { own, before } = this.state.scale === "absolute" ? weights : shares;
		return [["New", percent(shares.own, 1) + " = " + weightText(event, weights.own)],
			["Baseline", percent(shares.before, 1) + " = " + weightText(event, weights.before)],
			["Difference", pointsText(shares.own - shares.before) + " points"],
			["Ratio", ratioText(own, before)]];
	}

	place(flame, node) {
		const frames = this.profile.frames, f = flame.tree.frame[node];
		const kind = KIND_NAMES[frames.kindName(f)];
		const binary = binaryName(frames.dso(f)) === kind ? "" : frames.dso(f);
		return binary ? binary + " · " + kind : kind;
	}

	/* The line under the graph: for the keyboard, for screen readers, and for copying. */
	line(flame, node) {
		const parts = this.facts(flame, node).map(([label, value]) => label + " " + value);
		if (flame.tree.frame[node] >= 0)
			parts.unshift(this.place(flame, node));
		$("detail").replaceChildren(textElement("b", flame.name(node)),
			...parts.map(text => textElement("span", text)));
	}

	/* A tip at a place; null hides it. */
	tip(key, fill, x, y) {
		const tip = $("tip");
		tip.hidden = key === null;
		if (key === null)
			return;
		if (tip.dataset.key !== key)
			fill(tip);
		tip.dataset.key = key;
		const box = tip.getBoundingClientRect();
		const left = x + 14 + box.width > innerWidth ? Math.max(4, x - 14 - box.width) : x + 14;
		const top = y + 18 + box.height > innerHeight ? Math.max(4, y - 12 - box.height) : y + 18;
		tip.style.left = left + "px";
		tip.style.top = top + "px";
	}

	hover(flame, rect, x, y) {
		if (!rect)
			this.tip(null);
		else
			this.tip([flame.direction, flame.tree.generation, rect.node, rect.more].join("/"),
				 tip => this.fill(tip, flame, rect), x, y);
	}

	hoverText(text, x, y) {
		this.tip(text, tip => tip.replaceChildren(textElement("span", text)), x, y);
	}

	fill(tip, flame, rect) {
		if (rect.more) {
			tip.replaceChildren(textElement("b", plural(rect.more, "narrow block") + ": zoom in to see " +
				(rect.more === 1 ? "it" : "them")));
			return;
		}
		tip.replaceChildren(textElement("b", flame.name(rect.node)));
		if (flame.tree.frame[rect.node] >= 0)
			tip.append(textElement("p", this.place(flame, rect.node)));
		const list = document.createElement("dl");
		for (const [label, value] of this.facts(flame, rect.node))
			list.append(textElement("dt", label), textElement("dd", value));
		tip.append(list);
	}

	/* The path to the zoomed node; each step zooms. */
	crumbs(flame, zoom) {
		const path = [0, ...flame.tree.path(flame.zoom)];
		/* A deep stack shows its ends: the outermost frames and the innermost ones. */
		const shown = path.length <= 6 ? path : [path[0], path[1], -1, ...path.slice(-3)];
		$("crumbs").replaceChildren(...shown.map((node, i) => {
			const last = i === shown.length - 1;
			const item = document.createElement(last || node < 0 ? "span" : "button");
			item.className = "crumb";
			item.textContent = node < 0 ? "… " + (path.length - 5) + " …" : flame.name(node);
			item.title = node < 0 ? "" : item.textContent;
			if (last)
				item.setAttribute("aria-current", "location");
			else if (item instanceof HTMLButtonElement) {
				item.type = "button";
				item.addEventListener("click", () => zoom(node));
			}
			return item;
		}));
	}

	/* Header and notes, which never change. */
	header() {
		const { baseline } = this.profile, ofOld = text => "Baseline: " + text;
		const info = [...this.profile.info,
			...(baseline ? baseline.info.map(([name, value]) => [ofOld(name), value]) : [])];
		const losses = [...this.profile.losses, ...(baseline ? baseline.losses.map(ofOld) : [])];
		const title = commandName(this.profile.title);
		$("title").textContent = title || "sonde report";
		$("title").title = this.profile.title;
		document.title = (title || "report") + " – sonde";
		$("info").replaceChildren(...info.flatMap(([name, value]) =>
			[textElement("dt", name), textElement("dd", value)]));
		$("about").hidden = info.length === 0;
		if (losses.length === 0)
			return;
		$("losses").hidden = false;
		$("losses-summary").textContent = "Incomplete: " + losses[0] +
			(losses.length === 1 ? "" : " – and " + plural(losses.length - 1, "more note"));
		$("losses-list").replaceChildren(...losses.map(text => textElement("li", text)));
		$("losses").classList.toggle("single", losses.length === 1);
	}

	/* CPU time counts every busy CPU; wall time is elapsed time. */
	summary() {
		const { event, profile } = this, { selection } = event;
		const label = event.isOffCpu ? "off-CPU time " :
			{ ns: "CPU time ", "": "event count " }[event.unit] || "";
		const isPart = selection.range || selection.cpu >= 0 || selection.task !== "";
		const samples = isPart ? integer.format(event.count) + " of " + plural(event.wholeCount, "sample") :
			plural(event.count, "sample");
		const parts = [event.name, samples, label + weightText(event, event.weight)];
		if (event.idle > 0)
			parts.push((selection.idle ? "of it idle: " : "idle, hidden: ") +
				weightText(event, event.idle));
		if (selection.range)
			parts.push("range " +
				duration((selection.range.to + 1 - selection.range.from) * profile.time.step));
		else if (profile.wall > 0)
			parts.push("wall time " + duration(profile.wall));
		$("summary").textContent = parts.join(" · ");
		const notes = [...event.notes];
		if (event.mergedNs > 0)
			notes.push("There are too many samples for a page: on the time axis those of one stack and " +
				"CPU within " + duration(event.mergedNs) + " are one.");
		if (event.old)
			notes.push(...event.old.notes.map(text => "Baseline: " + text));
		$("notes").replaceChildren(...notes.map(text => textElement("p", text)));
		$("notes").hidden = notes.length === 0;
	}
}
