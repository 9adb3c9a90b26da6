/* SPDX-License-Identifier: MIT */
/* The timed samples of an event: columns in order of time. Each view reads them anew: a million take some 4 ms. */

const MOST_CPUS = 65535;   /* src/export/page/timed.c gives no higher number */

class Samples {
	/**
	 * @param {{values: (name: string) => Uint32Array | Float64Array}} columns
	 * @param {boolean} weighted false: each sample counts 1
	 */
	constructor(columns, weighted) {
		this.time = /** @type {Uint32Array} */ (summed(columns.values("time")));
		this.n = this.time.length;
		this.cpu = columns.values("cpu");          /* and 1; 0: not known */
		this.cell = columns.values("cell");
		this.count = columns.values("count");
		this.period = weighted ? columns.values("period") : this.count;
	}

	/** The first sample at or after a time. */
	lower(time) {
		return above(this.time, Math.ceil(time) - 1);   /* all are whole steps */
	}

	/**
	 * Adds samples to the sums of cells, or takes them away.
	 * @param {number} first
	 * @param {number} end
	 * @param {number} cpu -1: all
	 * @param {number} sign 1 or -1
	 */
	sum(first, end, cpu, sign, weights, counts) {
		const { cell, period, count } = this, wanted = cpu + 1;
		for (let i = first; i < end; i++) {
			if (wanted && this.cpu[i] !== wanted)
				continue;
			weights[cell[i]] += sign * period[i];
			counts[cell[i]] += sign * count[i];
		}
	}

	/**
	 * Weights by row and column of a span of time. Samples outside of it have no part.
	 * @param {{from: number, to: number}} span
	 * @param {number} columns
	 * @param {Uint16Array | null} rowOfCell
	 * @param {Uint16Array | null} rowOfCpu by CPU + 1, if rows are CPUs
	 * @param {Float32Array} grid rows by columns, zeroed
	 */
	density(span, columns, rowOfCell, rowOfCpu, grid) {
		const { time, cell, cpu, period } = this;
		const scale = columns / (span.to - span.from), from = span.from;
		const end = this.lower(span.to);
		for (let i = this.lower(span.from); i < end; i++) {
			const row = rowOfCpu ? rowOfCpu[cpu[i]] : rowOfCell[cell[i]];
			grid[row * columns + ((time[i] - from) * scale | 0)] += period[i];
		}
	}

	/** As density() for cells with a byte that is not 0, in one row. */
	densityOf(span, columns, wanted, cpuWanted, grid) {
		const { time, cell, cpu, period } = this;
		const scale = columns / (span.to - span.from), from = span.from;
		const end = this.lower(span.to);
		for (let i = this.lower(span.from); i < end; i++)
			if (wanted[cell[i]] && (!cpuWanted || cpu[i] === cpuWanted))
				grid[(time[i] - from) * scale | 0] += period[i];
	}

	/**
	 * The sums by cell of a range and CPU. A range that has moved a little takes only the samples at its edges.
	 * @param {{from: number, to: number} | null} range
	 * @param {number} cpu -1: all
	 * @param {number} n cells
	 * @param {any} sums those of the call before, which change; or null
	 */
	sums(range, cpu, n, sums) {
		const first = range ? this.lower(range.from) : 0;
		const end = range ? this.lower(range.to + 1) : this.n;
		if (!sums || sums.cpu !== cpu || first >= sums.end || end <= sums.first)
			sums = { cpu, first, end: first, weights: new Float64Array(n), counts: new Float64Array(n) };
		const move = (from, to, sign) => this.sum(from, to, cpu, sign, sums.weights, sums.counts);
		move(first, sums.first, 1);
		move(sums.first, first, -1);
		move(sums.end, end, 1);
		move(end, sums.end, -1);
		return Object.assign(sums, { first, end });
	}

	/**
	 * The weights of the visible span: by row and column, and by column those that are selected.
	 * @param {Axis} axis
	 * @param {number} columns
	 * @param {Tracks} tracks
	 * @param {ProfileEvent} event
	 */
	tracks(axis, columns, tracks, event) {
		const rows = tracks.rows.length;
		const grid = new Float32Array(columns * rows), all = new Float32Array(columns);
		if (rows > 0)
			this.density(axis, columns, tracks.rowOfCell, tracks.rowOfCpu, grid);
		if (rows > 0 && event.hasAll)
			for (let i = 0; i < grid.length; i++)
				all[i % columns] += grid[i];
		else
			this.densityOf(axis, columns, event.wanted, event.selection.cpu + 1, all);
		return { grid, all };
	}

	/**
	 * The stacks of a selection in order of time.
	 * @param {Shape} shape
	 * @param {ProfileEvent} event
	 */
	ordered(shape, event) {
		const { selection: { range, cpu }, wanted } = event;
		return inOrderOfTime(shape, this, range ? this.lower(range.from) : 0,
			range ? this.lower(range.to + 1) : this.n,
			i => wanted[this.cell[i]] === 1 && (cpu < 0 || this.cpu[i] === cpu + 1));
	}

	/** The selected weights by span of time: one value for each @step steps from @from. */
	histogram(from, step, n, event) {
		const { time, cell, cpu, period } = this, values = new Float32Array(n);
		const { wanted, selection } = event, cpuWanted = selection.cpu + 1;
		const end = this.lower(from + step * n);
		for (let i = this.lower(from); i < end; i++)
			if (wanted[cell[i]] && (!cpuWanted || cpu[i] === cpuWanted))
				values[Math.floor((time[i] - from) / step)] += period[i];
		return values;
	}

	/** The CPUs that have samples, with their weights, ascending; -1: not known. @returns {[number, number][]} */
	cpus() {
		const weights = new Float64Array(MOST_CPUS + 1), counts = new Uint32Array(MOST_CPUS + 1);
		for (let i = 0; i < this.n; i++) {
			weights[this.cpu[i]] += this.period[i];
			counts[this.cpu[i]]++;
		}
		return [...counts.keys()].filter(cpu => counts[cpu] > 0).map(cpu => [cpu - 1, weights[cpu]]);
	}
}
