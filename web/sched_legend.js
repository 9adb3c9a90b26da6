/* SPDX-License-Identifier: MIT */
/* What the colours of scheduling mean, and how long the chosen threads or CPUs were in each state. */

const MOST_WAKERS = 3;

/**
 * What is chosen, in a span of time.
 * @typedef {object} ChosenStates
 * @property {boolean} isCpus
 * @property {number[]} numbers of threads or CPUs that have states
 * @property {{from: number, to: number}} span
 */

/**
 * The threads or CPUs that the state of the page names; of threads null: it names none.
 * @param {Sched} sched
 * @param {Threads} threads
 * @param {{tracks: string, task: string, cpu: number}} state
 * @param {{from: number, to: number}} span
 * @returns {ChosenStates | null}
 */
function chosenStates(sched, threads, { tracks, task, cpu }, span) {
	if (tracks === "cpus")
		return { isCpus: true, numbers: [...sched.cpus.keys()].filter(c => cpu < 0 || c === cpu), span };
	if (task === "")
		return null;
	const isChosen = threads.chosen(task), numbers = new Set();
	for (let t = 0; t < threads.recorded; t++)
		if (isChosen(t))
			numbers.add(sched.threadOfTid.get(threads.scheduledTid(t)));
	return { isCpus: false, numbers: [...numbers].filter(t => sched.threads[t]), span };
}

/** The sums of SUMMED_STATES in steps. @param {Sched} sched @param {ChosenStates | null} chosen */
function sumsOf(sched, chosen) {
	const sums = SUMMED_STATES.map(() => 0);
	for (const number of chosen ? chosen.numbers : [])
		(chosen.isCpus ? sched.cpus.get(number) : sched.threads[number]).sums(chosen.span)
			.forEach((sum, s) => { sums[s] += sum; });
	return sums;
}

/** Who woke a thread, in words; "": nobody. @param {Sched} sched @param {ChosenStates | null} chosen */
function wakersText(sched, chosen) {
	if (!chosen || chosen.isCpus || chosen.numbers.length !== 1)
		return "";
	const wakers = sched.wakers(chosen.numbers[0], chosen.span), times = wakers.reduce((sum, [, n]) => sum + n, 0);
	const names = wakers.slice(0, MOST_WAKERS).map(([name, n]) => name + (wakers.length > 1 ? " (" + n + ")" : ""));
	if (wakers.length > MOST_WAKERS)
		names.push(plural(wakers.length - MOST_WAKERS, "other"));
	return times === 0 ? "" : "woken " + plural(times, "time") + " by " + names.join(", ");
}

/** The colours of tasks on the rows of CPUs. @param {Palette} palette @param {Sched} sched @returns {LegendRow[]} */
function taskLegend(palette, sched) {
	const busiest = sched.busiest();
	/** @type {LegendRow[]} */
	const rows = busiest.slice(0, HUES).map((t, rank) => [palette.taskFill(rank), sched.name(t), 0, null]);
	if (busiest.length > HUES)
		rows.push([palette.taskFill(HUES), plural(busiest.length - HUES, "other task"), 0, null]);
	return rows;
}

/**
 * @param {Palette} palette
 * @param {Sched} sched
 * @param {ChosenStates | null} chosen
 * @returns {LegendRow[]}
 */
function schedLegend(palette, sched, chosen) {
	/** @type {LegendRow[]} */
	const rows = [], note = text => rows.push(["transparent", text, 0, null]);
	const sums = sumsOf(sched, chosen), woken = wakersText(sched, chosen);
	if (sched.hasStates && chosen && chosen.isCpus)
		rows.push(["transparent", STATE_NAMES[RUNNING], sums[0], null], ...taskLegend(palette, sched));
	else if (sched.hasStates)
		SHOWN_STATES.forEach((state, i) => rows.push([palette.states[i], STATE_NAMES[state], sums[i], null]));
	if (chosen && !chosen.isCpus && chosen.numbers.length > 0)
		rows.push(["transparent", STATE_NAMES[SLEEPING], sums[SUMMED_STATES.indexOf(SLEEPING)], null]);
	if (sched.marks.time.length > 0)
		rows.push([palette.select, "tracepoint", 0, null]);
	if (sched.frequencies.size > 0)
		rows.push([palette.ink, "frequency of a CPU", 0, null]);
	if (woken !== "")
		note(woken);
	if (sched.givenUp)
		note("There are too many context switches to show.");
	if (sched.nrMarks > sched.marks.time.length)
		note("Marks are at the first " + integer.format(sched.marks.time.length) + " of " +
			plural(sched.nrMarks, "tracepoint") + ".");
	if (sched.nrCounts > sched.counts.time.length)
		note("Rows show the first " + integer.format(sched.counts.time.length) + " of " +
			plural(sched.nrCounts, "count") + ".");
	return rows;
}
