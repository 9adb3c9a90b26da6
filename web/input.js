/* SPDX-License-Identifier: MIT */
/* Where clicks and key presses go, and the page's start. */

/** @param {App} app */
function listen(app) {
	const { profile } = app, click = (id, f) => $(id).addEventListener("click", f);
	const push = change => app.show(change, { history: "push" });
	$("color").addEventListener("change", e => app.show({ color: e.target.value }));
	$("group").addEventListener("change", e => push({ group: e.target.value }));
	$("collapse").addEventListener("change", e => push({ collapse: e.target.checked ? "yes" : "no" }));
	for (const view of ["callees", "callers"])
		click(view, () => app.show({ view }));
	click("sandwich", () => app.toSandwich());
	for (const shape of ["icicle", "flame"])
		click(shape, () => app.show({ shape }));
	for (const order of ["weight", "time"])
		click(order, () => app.show({ order }));
	for (const tracks of ["threads", "cpus", "heat"])
		click(tracks, () => app.show({ tracks }));
	click("idle", () => app.toggleIdle());
	click("to-sandwich", () => app.toSandwich());
	click("show-code", () => openCode(app));
	click("hide-function", () => app.hide(false));
	click("hide-binary", () => app.hide(true));
	for (const kind of ["svg", "png", "folded"])
		click("save-" + kind, () => saveGraph(kind, app.upper.tree ? [app.upper, app.flame] : [app.flame],
			profile.frames, app.palette, $("title").textContent));
	$("search").addEventListener("input", () => {
		clearTimeout(app.typing);
		app.typing = setTimeout(() => app.show({ search: $("search").value.trim() }), 80);
	});
	listKeys($("keys"));
	click("help-button", () => $("help").showModal());
	window.addEventListener("popstate", () => app.show(stateOf(location.hash)));
	window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.recolor());
	for (const flame of [app.flame, app.upper])
		for (const kind of ["focus", "blur"])
			flame.canvas.addEventListener(kind, () => flame.queue());
	document.addEventListener("keydown", e => keydown(app, e));
	document.addEventListener("click", e => {
		if (e.target instanceof Node && !$("options").contains(e.target))
			$("options").open = false;
	});
	listenSplitter(app.comparison ? 48 : 42);
}

/** @param {number} initial percent of the width that the table has at first */
function listenSplitter(initial) {
	const splitter = $("splitter");
	const set = share => {
		share = Math.min(80, Math.max(20, share));
		document.documentElement.style.setProperty("--table-share", share + "%");
		splitter.setAttribute("aria-valuenow", String(Math.round(share)));
	};
	set(initial);
	splitter.addEventListener("pointerdown", e => splitter.setPointerCapture(e.pointerId));
	splitter.addEventListener("pointermove", e => {
		if (splitter.hasPointerCapture(e.pointerId))
			set(100 * (innerWidth - e.clientX) / innerWidth);
	});
	splitter.addEventListener("keydown", e => {
		const step = { ArrowLeft: 2, ArrowRight: -2 }[e.key];
		if (!step)
			return;
		set(Number(splitter.getAttribute("aria-valuenow")) + step);
		e.preventDefault();
		e.stopPropagation();
	});
}

function keydown(app, e) {
	const typing = e.target === $("search");
	if (e.target === $("event-search"))
		return;
	if ($("help").open || $("code").open || e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (e.key === "Escape") {
		if (typing) {
			clearTimeout(app.typing);
			$("canvas").focus();
		}
		if ($("options").open)
			$("options").open = false;
		else if (typing && $("search").value !== "")
			app.show({ search: "" });
		else if (e.target === $("axis") && app.state.range !== "")
			app.show({ range: "" }, { history: "push" });
		else
			app.escape();
	} else if (typing) {
		if (e.key !== "Enter")
			return;
		clearTimeout(app.typing);
		app.show({ search: $("search").value.trim() });
		$("table").focus();
	} else if (e.target.tagName === "SELECT" || (e.target.tagName === "INPUT" && e.key === " ")) {
		return;
	} else if (e.target === $("axis") && app.timeline.gestures.key(e.key)) {
		/* done */
	} else if (e.target === $("canvas") && (app.flame.key(e.key) || e.key === "Enter")) {
		if (e.key === "Enter")
			app.zoom(app.flame.cursor);
	} else if (e.target === $("upper") && (app.upper.key(e.key) || e.key === "Enter")) {
		if (e.key === "Enter")
			app.upper.zoomTo(app.upper.cursor, true);
	} else if (!command(app, e.key)) {
		return;
	}
	e.preventDefault();
}

/* The dialog is shown first: rows of a hidden one cannot be scrolled to. */
function openCode(app) {
	const code = app.profile.code.of(app.target);
	if (!code)
		return;
	$("code").showModal();
	showCode($("code-view"), code, app.state.event);
}

async function embedded() {
	const bytes = await unpack($("columns").textContent);
	return { block: JSON.parse($("profile").textContent), bytes };
}

const server = typeof Server === "function" ? new Server() : null;
if (server)
	$("summary").textContent = "The samples are loading …";

(server ? server.profile() : embedded()).then(({ block, bytes }) => {
	new App(new Profile(block, bytes, server));
	document.documentElement.dataset.ready = "yes";
}, error => {
	$("empty").hidden = false;
	document.body.classList.add("is-empty");
	$("empty").replaceChildren(textElement("h2", server ? "The page has no data" : "The page is damaged"),
		textElement("p", (server ? "They cannot be asked for: " : "Its data cannot be unpacked: ") +
			error.message));
	document.documentElement.dataset.ready = "no";
});
