/* SPDX-License-Identifier: MIT */
/* load_scripts.js - scripts of the page for a test: they are no modules, the page has them in one block */
"use strict";
const fs = require("node:fs");
const path = require("node:path");

/**
 * @param {string[]} files in the order of the page
 * @param {string[]} names of what they declare, to be handed out
 */
module.exports = (files, names) => {
	const text = files.map(file => fs.readFileSync(path.join(__dirname, file), "utf-8")).join("\n");
	return new Function("\"use strict\";\n" + text + "\nreturn { " + names.join(", ") + " };")();
};
