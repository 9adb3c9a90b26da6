/* SPDX-License-Identifier: MIT */
/*
 * The samples of a page that `sonde view` serves: they stay there. src/export/page/question.h and served.h describe
 * questions and answers. A view gets the last answer at once, and is drawn again when the one it asked for has come.
 */

/** The newest question of one kind: while one is on its way, only the last one of those that follow is kept. */
class Asking {
	/**
	 * @param {Server} server
	 * @param {(bytes: ArrayBuffer) => any} read
	 * @param {() => void} done
	 */
	constructor(server, read, done) {
		this.server = server;
		this.read = read;
		this.done = done;
		this.isBusy = false;
		this.wanted = "";
		this.question = "";      /* that of the answer */
		this.answer = null;
	}

	/** The answer, or that of an earlier question; null: none has come yet. */
	ask(question) {
		this.wanted = question === this.question ? "" : question;
		if (this.wanted !== "" && !this.isBusy)
			this.run();
		return this.answer;
	}

	async run() {
		this.isBusy = true;
		this.server.count(1);
		try {
			while (this.wanted !== "") {
				const question = this.wanted, bytes = await this.server.ask(question);
				this.answer = this.read(bytes);
				this.question = question;
				if (this.wanted === question)
					this.wanted = "";
				this.done();
			}
		} catch (error) {
			this.server.failed(error);
		}
		this.isBusy = false;
		this.server.count(-1);
	}
}

class Server {
	/* The token is in the address that sonde printed; it goes from there, so that the address can be shown. */
	constructor() {
		const params = new URLSearchParams(location.hash.slice(1)), given = params.get("token");
		if (given) {
			sessionStorage.setItem("token", given);
			params.delete("token");
			history.replaceState(null, "", params.size > 0 ? "#" + params : location.pathname);
		}
		this.token = given || sessionStorage.getItem("token") || "";
		this.on = { samples: () => {}, tracks: () => {} };
		this.asked = 0;
	}

	/** @param {string} question @returns {Promise<ArrayBuffer>} */
	async ask(question) {
		const response = await fetch("/data/" + question, { headers: { "Sonde-Token": this.token },
			cache: "no-store", credentials: "omit", redirect: "error" });
		if (response.status === 403)
			throw new Error("open the whole address that sonde view has printed");
		if (!response.ok)
			throw new Error("sonde view answers with status " + response.status);
		return response.arrayBuffer();
	}

	async profile() {
		const bytes = new Uint8Array(await this.ask("profile"));
		const length = new DataView(bytes.buffer).getUint32(0, true);
		return { block: JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))),
			 bytes: bytes.subarray(4 + length) };
	}

	/** Marks the document while answers are on their way. */
	count(more) {
		this.asked += more;
		document.documentElement.setAttribute("aria-busy", String(this.asked > 0));
	}

	failed(error) {
		const note = $("server-failed") || textElement("p", "");
		note.id = "server-failed";
		note.className = "noscript";
		note.setAttribute("role", "alert");
		note.textContent = "The samples cannot be asked for: " + (error instanceof TypeError ?
			"sonde view has ended" : error.message);
		document.body.prepend(note);
	}
}

/** Sums and samples of an answer. */
function readCells(bytes) {
	const n = new DataView(bytes).getUint32(0, true);
	return { n, isPart: new DataView(bytes).getUint32(4, true) === 1, weight: new Float64Array(bytes, 8, n),
		 count: new Float64Array(bytes, 8 + 8 * n, n), cell: new Uint32Array(bytes, 8 + 16 * n, n) };
}

/** As Samples, for the same views. */
class ServedSamples {
	/**
	 * @param {Server} server
	 * @param {ProfileEvent} event
	 */
	constructor(server, event) {
		const values = name => event.columns.values(name);
		const renew = () => server.on.samples();
		const redraw = () => server.on.tracks();
		this.event = event;
		const weights = values(event.isWeighted ? "period" : "count");
		/** @type {[number, number][]} */
		this.cpuList = [...values("cpu").entries()].map(([i, cpu]) => [cpu - 1, weights[i]]);
		this.cpuList.sort((a, b) => a[0] - b[0]);
		this.asked = {
			sums: new Asking(server, bytes => this.readSums(bytes), renew),
			samples: new Asking(server, readCells, renew),
			tracks: new Asking(server, bytes => new Float32Array(bytes), redraw),
			heat: new Asking(server, bytes => new Float32Array(bytes), redraw),
		};
		this.painted = null;     /* the span and the rows of the last tracks, by question */
	}

	/** As Samples.cpus(). */
	cpus() {
		return this.cpuList;
	}

	/** A question with the choice of samples. */
	question(kind, from, to, more = "") {
		const { event } = this, { task, cpu, idle } = event.selection, step = time => Number(time.toFixed(3));
		const choice = (task === "" ? "" : "&task=" + task) + (idle ? "" : "&idle=hide");
		return kind + "?event=" + event.number + (to > from ? "&from=" + step(from) + "&to=" + step(to) : "") +
			(cpu >= 0 ? "&cpu=" + cpu : "") + (kind === "sums" ? "" : choice) + more;
	}

	readSums(bytes) {
		const { n, weight, count, cell } = readCells(bytes), cells = this.event.task.length;
		const weights = new Float64Array(cells), counts = new Float64Array(cells);
		for (let i = 0; i < n; i++) {
			counts[cell[i]] = count[i];
			weights[cell[i]] = this.event.isWeighted ? weight[i] : count[i];
		}
		return { weights, counts };
	}

	/** Those of the last range until the answer has come; at first those of the whole recording. */
	sums(range) {
		const question = this.question("sums", range ? range.from : 0, range ? range.to + 1 : 0);
		return this.asked.sums.ask(question) ||
			{ weights: this.event.allWeights, counts: this.event.allSamples };
	}

	/** Until the answer has come, the last one moved and stretched. */
	tracks(axis, columns, tracks) {
		const rows = tracks.rows.length, keys = tracks.rows.map(row => row.key).join(",");
		const question = this.question("tracks", axis.from, axis.to, this.counting() + "&columns=" + columns +
			(rows > 0 ? "&rows=" + (tracks.rowOfCpu ? "cpus:" : "threads:") + keys : ""));
		const values = this.asked.tracks.ask(question), isNew = this.asked.tracks.question === question;
		const grid = new Float32Array(columns * rows), all = new Float32Array(columns);
		if (isNew)
			this.painted = { values, columns, rows, keys, from: axis.from, to: axis.to };
		const old = this.painted;
		if (!old || old.keys !== keys || old.values.length !== old.columns * (rows + 1))
			return { grid, all };
		const step = (axis.to - axis.from) / columns, scale = old.columns / (old.to - old.from);
		for (let x = 0; x < columns; x++) {
			const at = isNew ? x : Math.floor((axis.from + (x + 0.5) * step - old.from) * scale);
			if (at < 0 || at >= old.columns)
				continue;
			for (let row = 0; row < rows; row++)
				grid[row * columns + x] = old.values[row * old.columns + at];
			all[x] = old.values[rows * old.columns + at];
		}
		return { grid, all };
	}

	counting() {
		return this.event.isWeighted ? "" : "&count=samples";
	}

	histogram(from, step, n) {
		const question = this.question("tracks", from, from + step * n, this.counting() + "&columns=" + n);
		const values = this.asked.heat.ask(question);
		return values && values.length === n ? values : new Float32Array(n);
	}

	ordered(shape) {
		const { selection: { range }, isWeighted } = this.event;
		const answer = this.asked.samples.ask(this.question("samples", range ? range.from : 0,
			range ? range.to + 1 : 0));
		const { n, cell, weight, count, isPart } = answer ||
			{ n: 0, cell: [], weight: [], count: [], isPart: false };
		const samples = { cell, count, period: isWeighted ? weight : count };
		const result = inOrderOfTime(shape, samples, 0, n, () => true);
		result.tree.limited ||= isPart;
		return result;
	}
}
