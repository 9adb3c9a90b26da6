/* SPDX-License-Identifier: MIT */
/* The controls that choose samples: event, thread, CPU; and a chip for each choice that can be taken back. */

const MANY_EVENTS = 10;   /* have a search, and their numbers of samples */

class Choosers {
	/**
	 * @param {Profile} profile
	 * @param {(change: object) => void} show
	 */
	constructor(profile, show) {
		this.profile = profile;
		this.show = show;
		this.listEvents("");
		$("event-label").hidden = profile.events.length < 2;
		$("event-search").hidden = profile.events.length < MANY_EVENTS;
		$("event").addEventListener("change", e => show({ event: Number(e.target.value) }));
		$("event-search").addEventListener("input", e => this.listEvents(e.target.value));
		$("event-search").addEventListener("change", () => this.takeEvent());
		$("task").addEventListener("change", e => show({ task: e.target.value }));
		$("cpu").addEventListener("change", e => show({ cpu: Number(e.target.value) }));
	}

	/* The events that match a search, those with the most samples first. */
	listEvents(text) {
		const search = new Search(text), { events } = this.profile, chosen = $("event").value;
		const isFound = e => !search.active || search.regexp.test(e.name);
		this.found = [...events.keys()].filter(i => isFound(events[i]));
		if (events.length >= MANY_EVENTS)
			this.found.sort((a, b) => events[b].nrSamples - events[a].nrSamples || a - b);
		const option = i => new Option(events[i].name + (events.length < MANY_EVENTS ? "" :
			"  " + integer.format(events[i].nrSamples)), String(i));
		$("event").replaceChildren(...this.found.map(option));
		Choosers.set($("event"), chosen, events[Number(chosen)]?.name);
	}

	/* The first event that the search has found; the list has all again. */
	takeEvent() {
		const { found } = this;
		if ($("event-search").value !== "" && found.length > 0)
			this.show({ event: found[0] });
		$("event-search").value = "";
		this.listEvents("");
	}

	/** @param {ProfileEvent} event */
	setEvent(event) {
		const { processes, others } = event.threads.choices(event.threadWeights());
		const options = [new Option("all", "")], share = weight => "  " + percent(weight, event.whole);
		for (const { pid, key, threads, weight, name } of processes) {
			if (threads.length > 1)
				options.push(new Option(name + " " + pid + " (" + threads.length + " threads)" +
					share(weight), key));
			for (const thread of threads)
				options.push(new Option((threads.length > 1 ? "\u2003" : "") + thread.name +
					share(thread.weight), thread.key));
		}
		if (others > 0)
			options.push(Object.assign(new Option("and " + plural(others, "other thread"), "-"),
				{ disabled: true }));
		$("task").replaceChildren(...options);
		$("task-label").hidden = options.length < 3;
		const cpus = event.cpus();
		$("cpu").replaceChildren(new Option("all", "-1"), ...cpus.filter(([cpu]) => cpu >= 0)
			.map(([cpu, weight]) => new Option(cpu + share(weight), String(cpu))));
		$("cpu-label").hidden = cpus.length < 2;
		$("cpus").hidden = cpus.length < 2 && !(this.profile.sched && this.profile.sched.cpus.size > 0);
		$("tracks").hidden = !event.isTimed;
		$("timeline").hidden = !event.isTimed;
		$("filters").hidden = !event.isTimed && $("task-label").hidden && $("event-label").hidden;
	}

	/* An address may name a thread or CPU that the list has not. */
	static set(select, value, name = value) {
		if (value !== "" && ![...select.options].some(option => option.value === value))
			select.add(new Option(name, value));
		select.value = value;
	}

	update(state, event, axis) {
		Choosers.set($("event"), String(state.event), event.name);
		Choosers.set($("task"), state.task);
		Choosers.set($("cpu"), String(state.cpu));
		for (const id of ["threads", "cpus", "heat"])
			$(id).setAttribute("aria-pressed", String(state.tracks === id));
		this.chips(state, event, axis);
	}

	chips(state, event, axis) {
		const { frames } = this.profile, chips = [];
		const { range } = event.selection;
		if (range)
			chips.push([axis.text(range.from) + " – " + axis.text(range.to + 1) + " (" +
				duration((range.to + 1 - range.from) * axis.stepNs) + ")", { range: "" }]);
		if (state.at !== "")
			chips.push(["axis zoomed", { at: "" }]);
		if (state.collapse === "yes")
			chips.push(["recursion collapsed", { collapse: "no" }]);
		for (const word of state.hide === "" ? [] : state.hide.split(".")) {
			const of = Number(word.replace("d", ""));
			const name = word.startsWith("d") ? binaryName(frames.strings[of] || "") :
				of < frames.recorded && frames.symbol(of);
			if (name)
				chips.push(["without " + name,
					{ hide: state.hide.split(".").filter(w => w !== word).join(".") }]);
		}
		$("chips").replaceChildren(...chips.map(([text, change]) => {
			const chip = document.createElement("button");
			chip.type = "button";
			chip.className = "applied";
			chip.title = "Take back: " + text;
			chip.append(textElement("span", text));
			chip.addEventListener("click", () => this.show(change));
			return chip;
		}));
	}
}
