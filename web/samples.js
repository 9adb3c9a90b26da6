/* SPDX-License-Identifier: MIT */
/* The timed samples of an event: columns in order of time. Each view reads them anew: a million take some 4 ms. */

const MOST_CPUS = 65535;   /* src/export/page/timed.c gives no higher number */

class Samples {
	/**
	 * @param {{values: (name: string) => Uint32Array | Float64Array}} columns
	 * @param {boolean} weighted false: each sample counts 1
	 */
	constructor(columns, weighted) {
		this.time = /** @type {Uint32Array} */ (columns.values("time"));
		this.n = this.time.length;
		for (let i = 1; i < this.n; i++)
			this.time[i] += this.time[i - 1];
		this.cpu = columns.values("cpu");          /* and 1; 0: not known */
		this.cell = columns.values("cell");
		this.count = columns.values("count");
		this.period = weighted ? columns.values("period") : this.count;
	}

	/** The first sample at or after a time. */
	lower(time) {
		let low = 0, high = this.n;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.time[middle] < time)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
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

	/** Weights by span of time: one value for each @step steps from @from. */
	histogram(from, step, n, wanted, cpuWanted) {
		const { time, cell, cpu, period } = this, values = new Float32Array(n);
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
