/* SPDX-License-Identifier: MIT */
/*
 * Which binaries, functions and commands of two recordings are the same ones: first those that are proved (the build
 * id, the path), then those that are called so, last those that look alike.
 */

const ALIKE = 0.5;               /* of the names of the smaller binary */
const MOST_COMPARED = 50;        /* binaries or commands of either recording that are searched for a likeness */
const LIKE_COMMAND = 0.1;        /* of the weight in functions that belong to one command */

/**
 * The frames of a recording by their binary: a build id names it, else a path; generated code is in one.
 * @typedef {object} PairedBinary
 * @property {string} path of the first one of that build
 * @property {Set<string>} names of its functions
 */

/** @param {Frames} frames */
function binaryKey(frames, f) {
	const id = frames.buildId(f);
	if (frames.isTask(f))
		return frames.kindName(f);
	if (frames.kindName(f) === "jit")   /* it is in another file each time */
		return "jit";
	return id === "" ? "path " + frames.dso(f) : "id " + id;
}

/** @param {Frames} frames @returns {Map<string, PairedBinary>} */
function binariesOf(frames) {
	const binaries = new Map();
	for (let f = 0; f < frames.n; f++) {
		const key = binaryKey(frames, f);
		if (frames.isTask(f) || key === "jit")
			continue;
		if (!binaries.has(key))
			binaries.set(key, { path: frames.dso(f), names: new Set() });
		if (frames.kindName(f) !== "unknown")
			binaries.get(key).names.add(frames.plainName(f));
	}
	return binaries;
}

/** The name of a file without its version: "libc-2.36.so" and "libc-2.37.so" are "libc-.so". */
function stem(path) {
	return binaryName(path).replace(/\d+(\.\d+)*/g, "");
}

/** The share of names that two sets have in common, of the smaller one. */
function likeness(a, b) {
	const [small, large] = a.size < b.size ? [a, b] : [b, a];
	let common = 0;
	for (const name of small)
		common += Number(large.has(name));
	return small.size > 0 ? common / small.size : 0;
}

/**
 * By key of a binary of the baseline the key of the newer recording's, if that has it.
 * @param {Map<string, PairedBinary>} own
 * @param {Map<string, PairedBinary>} old
 * @returns {Map<string, string>}
 */
function pairBinaries(own, old) {
	const paired = new Map([...old.keys()].filter(key => own.has(key)).map(key => [key, key]));
	const taken = new Set(paired.values());
	const left = () => [...old].filter(([key]) => !paired.has(key));
	const pair = (key, to) => { paired.set(key, to); taken.add(to); };
	for (const word of [path => path, binaryName, stem]) {
		const free = new Map(), any = new Map();
		for (const [key, { path }] of [...own].reverse()) {   /* of several the first one is taken */
			any.set(word(path), key);
			if (!taken.has(key))
				free.set(word(path), key);
		}
		for (const [key, { path }] of left()) {
			/* two builds of one path in the baseline are one binary */
			const to = free.get(word(path)) ?? (word === stem ? undefined : any.get(word(path)));
			if (to !== undefined && word(path) !== "")
				pair(key, to);
		}
	}
	const bySize = ([, a], [, b]) => b.names.size - a.names.size;
	const others = [...own].filter(([key]) => !taken.has(key)).sort(bySize).slice(0, MOST_COMPARED);
	for (const [key, { names }] of left().sort(bySize).slice(0, MOST_COMPARED)) {
		const alike = others.filter(([to]) => !taken.has(to))
			.map(([to, other]) => ({ to, common: likeness(names, other.names) }))
			.filter(({ common }) => common >= ALIKE).sort((a, b) => b.common - a.common);
		if (alike.length > 0)
			pair(key, alike[0].to);
	}
	return paired;
}

/**
 * By frame of either recording its number in the comparison. Frames that only the baseline has are added.
 * @param {Frames} frames
 * @param {Frames} old
 */
function pairFrames(frames, old) {
	const binaryOf = pairBinaries(binariesOf(frames), binariesOf(old)), known = new Map(), strings = new Map();
	/* an address means nothing in another build */
	const keyOf = (list, f, binary) => (list.kindName(f) === "unknown" ? binaryKey(list, f) : binary) + "\0" +
		list.plainName(f);
	const own = Int32Array.from({ length: frames.n }, (_, f) => {
		const key = keyOf(frames, f, binaryKey(frames, f));
		if (!known.has(key))
			known.set(key, f);
		return known.get(key);
	});
	frames.strings.forEach((text, i) => strings.set(text, i));
	const string = text => {
		if (!strings.has(text))
			strings.set(text, frames.strings.push(text) - 1);
		return strings.get(text);
	};
	const ofOld = Int32Array.from({ length: old.n }, (_, f) => {
		const key = keyOf(old, f, binaryOf.get(binaryKey(old, f)) ?? binaryKey(old, f));
		if (!known.has(key))
			known.set(key, frames.addRecorded(string(old.symbol(f)), string(old.dso(f)), old.kind[f],
							  string(old.plainName(f))));
		else if (old.symbolIndex[f] === old.nameIndex[f])   /* inlined in one of them only */
			frames.symbolIndex[known.get(key)] = frames.nameIndex[known.get(key)];
		return known.get(key);
	});
	return { own, old: ofOld };
}

/**
 * What the commands of an event spend in functions of binaries that no other command of the recording uses.
 * @param {Shape} shape
 * @param {ArrayLike<number>} weights by cell
 * @param {Frames} frames
 * @returns {Map<number, {weight: number, functions: Map<number, number>}>} by frame of the command
 */
function commandsOf(shape, weights, frames) {
	const { parent, frame, n } = shape.tree, root = new Int32Array(n).fill(-1), commands = new Map();
	const user = new Map();   /* by binary: the only command that uses it, -1: several do */
	for (let i = 1; i < n; i++) {
		root[i] = parent[i] === 0 ? frame[i] : root[parent[i]];
		const dso = frames.dsoIndex[frame[i]];
		user.set(dso, !user.has(dso) || user.get(dso) === root[i] ? root[i] : -1);
	}
	for (let c = 0; c < weights.length; c++) {
		const node = shape.nodeOf[c], command = root[node], f = frame[node];
		if (node <= 0 || !(weights[c] > 0))
			continue;
		if (!commands.has(command))
			commands.set(command, { weight: 0, functions: new Map() });
		const { functions } = commands.get(command);
		commands.get(command).weight += weights[c];
		if (user.get(frames.dsoIndex[f]) === command && ["user", "jit"].includes(frames.kindName(f)))
			functions.set(f, (functions.get(f) || 0) + weights[c]);
	}
	return commands;
}

/** The share of weights that two lists of functions have in common. */
function commonWeight(a, b) {
	const sum = functions => [...functions.values()].reduce((x, y) => x + y, 0), sums = [sum(a), sum(b)];
	let common = 0;
	for (const [f, weight] of a)
		common += Math.min(share(weight, sums[0]), share(b.get(f) || 0, sums[1]));
	return common;
}

/**
 * By command of the baseline that the newer recording lacks, the command in its place: it runs the same functions, or
 * both are the only ones left and most of their recording.
 * @returns {Map<number, number>} numbers of frames
 */
function pairCommands(own, old) {
	const paired = new Map(), byWeight = (a, b) => b[1].weight - a[1].weight || a[0] - b[0];
	const whole = commands => [...commands.values()].reduce((sum, { weight }) => sum + weight, 0);
	const only = (commands, others) => [...commands].filter(([f]) => !others.has(f)).sort(byWeight)
		.slice(0, MOST_COMPARED);
	const gone = only(old, own);
	let added = only(own, old);
	const isMost = ([, { weight }], commands) => 2 * weight > whole(commands);
	if (gone.length === 1 && added.length === 1 && isMost(gone[0], old) && isMost(added[0], own))
		return new Map([[gone[0][0], added[0][0]]]);
	for (const [command, { functions }] of gone) {
		const alike = added.map(([to, other]) => ({ to, common: commonWeight(functions, other.functions) }))
			.filter(({ common }) => common >= LIKE_COMMAND).sort((a, b) => b.common - a.common);
		if (alike.length > 0) {
			paired.set(command, alike[0].to);
			added = added.filter(([to]) => to !== alike[0].to);
		}
	}
	return paired;
}
