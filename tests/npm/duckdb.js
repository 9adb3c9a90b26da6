// SPDX-License-Identifier: MIT
// duckdb.js MODULES: answers queries with DuckDB of npm; the standard input is a JSON list of SQL texts, the output a
// list of answers, each a list of rows. 64-bit numbers are strings.
"use strict";
const fs = require("fs");
const path = require("path");
const { DuckDBInstance } = require(path.join(process.argv[2], "@duckdb/node-api"));

async function main() {
	const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
	const connection = await instance.connect();
	const answers = [];

	for (const sql of JSON.parse(fs.readFileSync(0, "utf8")))
		answers.push((await connection.runAndReadAll(sql)).getRowsJson());
	console.log(JSON.stringify(answers));
	connection.closeSync();
	instance.closeSync();
}

main().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
