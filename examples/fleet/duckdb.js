// SPDX-License-Identifier: MIT
// duckdb.js - questions to a data set of `sonde export --to parquet`, answered by DuckDB: npm install @duckdb/node-api
//
//	node duckdb.js SET [-p NAME=VALUE]... QUERY.sql...
//
// The tables are views over the files. Prints the rows of each answer, values between tabs.
'use strict';
const fs = require('fs');
const path = require('path');
const { DuckDBInstance } = require('@duckdb/node-api');

const quote = (text) => `'${text.replaceAll("'", "''")}'`;

function filesBelow(folder) {
	if (!fs.existsSync(folder))
		return [];
	return fs.readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name));
}

// What hosts wrote, but for what `sonde fleet compact` has made part of its files, which list it.
function files(set, table) {
	const compacted = filesBelow(path.join(set, 'v1/compact', table));
	const inputs = new Set(compacted.filter((file) => path.basename(file) === '_inputs')
		.flatMap((file) => fs.readFileSync(file, 'utf8').split('\n'))
		.map((line) => path.basename(line)));
	const written = filesBelow(path.join(set, 'v1', table)).filter((file) => !inputs.has(path.basename(file)));
	return [written, compacted].map((list) => list.filter((file) => file.endsWith('.parquet')))
		.filter((list) => list.length)
		.map((list) => `select * replace (date::date as date) from read_parquet([${list.map(quote)}],
			hive_partitioning = true, hive_types_autocast = false)`)
		.join(' union all by name ');
}

// Many hosts write the same stacks and frames: one row of each is enough. A later row of a frame may have its name.
const views = {
	samples: (from) => `select * from ${from}`,
	stacks: (from) => `select stack_id, any_value(frames) as frames, any_value(depth) as depth from ${from}
		group by stack_id`,
	frames: (from) => `select frame_id, max(function) as function, max(file) as file, any_value(module) as module,
		any_value(line) as line, any_value(address) as address, any_value(build_id) as build_id,
		any_value(inlined) as inlined from ${from} group by frame_id`,
	modules: (from) => `select build_id, path, any_value(kind) as kind, max(symbolised) as symbolised from ${from}
		group by build_id, path`,
	runs: (from) => `select distinct * from ${from}`,
};

async function main(args) {
	const set = args.shift();
	const values = {}, queries = [];
	while (args.length) {
		const arg = args.shift();
		if (arg === '-p') {
			const [, name, value] = /^(\w+)=(.*)$/s.exec(args.shift());
			values[name] = value;
		} else {
			queries.push(arg);
		}
	}
	const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
	for (const [name, sql] of Object.entries(views))
		await duckdb.run(`create view ${name} as ${sql(`(${files(set, name)})`)}`);
	for (const query of queries) {
		const sql = fs.readFileSync(query, 'utf8').replace(/\$(\w+)/g, (_, name) =>
			/^[0-9]+$/.test(values[name]) ? values[name] : quote(values[name]));
		const answer = await duckdb.runAndReadAll(sql);
		for (const row of [answer.columnNames(), ...answer.getRows()])
			console.log(row.join('\t'));
		console.log();
	}
}

main(process.argv.slice(2)).catch((error) => {
	console.error(`duckdb.js: ${error.message}`);
	process.exit(1);
});
