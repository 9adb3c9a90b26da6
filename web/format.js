/* SPDX-License-Identifier: MIT */
/* Numbers and names in readable form; elements by their id. */

const $ = id => /** @type {any} */ (document.getElementById(id));

/* Names come from the trace: control and direction characters are shown as text, not interpreted. */
function visible(text) {
	return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu,
		c => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

/* The same on one line: arguments of a command may have several. */
function oneLine(text) {
	return visible(text.replace(/\s+/g, " ").trim());
}

function percent(part, whole) {
	if (!(whole > 0))
		return "0%";
	const p = 100 * part / whole;
	return p > 0 && p < 0.005 ? "<0.01%" : p.toFixed(2) + "%";
}

const integer = new Intl.NumberFormat("en");

/* Three significant digits and a prefix: "1.23 G" */
function amount(value) {
	const prefixes = ["", " k", " M", " G", " T", " P", " E"];
	let at = 0;
	if (value < 10000)
		return integer.format(value);
	while (value >= 999.5 && at < prefixes.length - 1) {
		value /= 1000;
		at++;
	}
	return value.toPrecision(3) + prefixes[at];
}

/** @type {[string, number][]} */
const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3]];

/* Three significant digits; what rounds to 1000 of a unit is one of the next. */
function duration(ns) {
	for (const [unit, size] of UNITS)
		if (ns >= 0.9995 * size)
			return (ns / size >= 999.5 ? integer.format(Math.round(ns / size)) :
				(ns / size).toPrecision(3)) + " " + unit;
	return ns + " ns";
}

/* A time since the start: decimals as steps of that length need, the unit as the longest time beside it has. */
function timeText(ns, stepNs, mostNs = ns) {
	const [unit, size] = UNITS.find(([, size]) => mostNs >= size) || ["ns", 1];
	const decimals = Math.max(0, Math.ceil(Math.log10(size / Math.max(1, stepNs)) - 1e-9));
	return ns === 0 ? "0" : (ns / size).toFixed(Math.min(9, decimals)) + " " + unit;
}

function weightText(event, value) {
	if (event.unit === "ns")
		return duration(value);
	return amount(value) + (event.unit ? " " + event.unit : "");
}

function plural(n, one, many = one + "s") {
	return integer.format(n) + " " + (n === 1 ? one : many);
}

/* The kernel has a word of its own; other binaries are shown by the name of their file. */
function binaryName(dso) {
	const kernel = /^\[(guest\.)?kernel\.(kallsyms|vmlinux)(\.\d+)?\](_text|_stext)?$/.exec(dso);
	if (kernel)
		return kernel[1] ? "guest kernel" : "kernel";
	return basename(dso);
}

function basename(path) {
	return path.slice(path.lastIndexOf("/") + 1) || path;
}
