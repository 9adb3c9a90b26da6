// SPDX-License-Identifier: MIT
// pprof.js MODULES FILE: a profile of pprof as JSON, decoded by pprof-format of npm
"use strict";
const fs = require("fs");
const path = require("path");
const zlib = require("zlib");
const [modules, file] = process.argv.slice(2);
const { Profile } = require(path.join(modules, "pprof-format"));

const p = Profile.decode(zlib.gunzipSync(fs.readFileSync(file)));
const text = (i) => p.stringTable.strings[Number(i)];
const byId = (list) => new Map(list.map((x) => [Number(x.id), x]));
const functions = byId(p.function);
const mappings = byId(p.mapping);
const locations = byId(p.location);

function frames(id) {
	const l = locations.get(Number(id));
	const m = mappings.get(Number(l.mappingId));

	return l.line.map((line) => ({
		name: text(functions.get(Number(line.functionId)).name),
		line: Number(line.line),
		file: m ? text(m.filename) : null,
	}));
}

console.log(JSON.stringify({
	types: p.sampleType.map((t) => [text(t.type), text(t.unit)]),
	default_type: text(p.defaultSampleType),
	comments: p.comment.map(text),
	time: String(p.timeNanos),
	duration: Number(p.durationNanos),
	mappings: p.mapping.map((m) => ({ file: text(m.filename), build_id: text(m.buildId) })),
	samples: p.sample.map((s) => ({
		stack: s.locationId.map(frames),
		values: s.value.map(Number),
		labels: Object.fromEntries(s.label.map((l) => [text(l.key), l.str ? text(l.str) : Number(l.num)])),
	})),
}));
