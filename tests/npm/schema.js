// SPDX-License-Identifier: MIT
// schema.js MODULES SCHEMA FILE: the rules of a JSON schema that a file breaks, as ajv of npm finds them
"use strict";
const fs = require("fs");
const path = require("path");
const [modules, schema, file] = process.argv.slice(2);
const Ajv = require(path.join(modules, "ajv"));
const read = (name) => JSON.parse(fs.readFileSync(name, "utf8"));

const check = new Ajv({ strict: false, allErrors: true }).compile(read(schema));

check(read(file));
console.log(JSON.stringify((check.errors || []).slice(0, 10).map((e) => `${e.instancePath} ${e.message}`)));
