// SPDX-License-Identifier: MIT
// chdb.js - questions to a data set of `sonde export --to parquet`, answered by ClickHouse: npm install chdb
//
//	node chdb.js SET [-p NAME=VALUE]... QUERY.sql...
//
// The statements are those of clickhouse/, to a ClickHouse in this process, which reads Parquet. The tables are views
// over the files that hosts wrote. Prints the rows of each answer, values between tabs.
'use strict';
const fs = require('fs');
const path = require('path');
const { Session } = require('chdb');

const tables = ['samples', 'stacks', 'frames', 'modules', 'runs'];
const quote = (text) => `'${text.replace(/['\\]/g, '\\$&')}'`;

function main(args) {
	const set = path.resolve(args.shift());
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
	const session = new Session();
	for (const table of tables) {
		const files = quote(path.join(set, 'v1', table, '*/*/*.parquet'));
		session.query(`create view ${table} as select * from file(${files}, Parquet)`);
	}
	for (const query of queries) {
		const sql = fs.readFileSync(query, 'utf8').replace(/\$(\w+)/g, (_, name) =>
			/^[0-9]+$/.test(values[name]) ? values[name] : quote(values[name]));
		console.log(session.query(sql, 'TabSeparatedWithNames'));
	}
	session.close();
}

main(process.argv.slice(2));
