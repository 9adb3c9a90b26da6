/* SPDX-License-Identifier: MIT */
/* The packed columns of numbers; src/export/page/columns.h describes them. */

/** @typedef {[name: string, length: number, bytes: number, least: number]} ColumnRow */

/**
 * The bytes of all columns.
 * @param {string} text base64 of a stream of zlib
 */
async function unpack(text) {
	const binary = atob(text.trim());
	const packed = new Uint8Array(binary.length);
	for (let i = 0; i < packed.length; i++)
		packed[i] = binary.charCodeAt(i);
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Values of @n times @width bytes at @from, all lowest bytes first. */
function columnValues(bytes, from, n, width, least) {
	const values = least + 256 ** width - 1 > 0xffffffff ? new Float64Array(n) : new Uint32Array(n);
	values.fill(least);
	for (let byte = 0, at = from; byte < width; byte++) {
		const unit = 256 ** byte;
		for (let i = 0; i < n; i++)
			values[i] += bytes[at++] * unit;
	}
	return values;
}

/** Hands out columns in the order in which they lie in the block. */
class Columns {
	/** @param {Uint8Array} bytes */
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	/**
	 * The columns of one list. They are decoded when they are first asked for: a file may have thousands of events.
	 * @param {ColumnRow[]} list
	 */
	take(list) {
		const rows = new Map();
		for (const [name, length, width, least] of list) {
			if (this.at + length * width > this.bytes.length)
				throw new RangeError("the page ends before its data do");
			rows.set(name, { at: this.at, length, width, least });
			this.at += length * width;
		}
		return {
			length: name => rows.get(name).length,
			values: name => {
				const row = rows.get(name);
				return columnValues(this.bytes, row.at, row.length, row.width, row.least);
			},
		};
	}
}

/** Times out of the steps between them. */
function summed(steps) {
	for (let i = 1; i < steps.length; i++)
		steps[i] += steps[i - 1];
	return steps;
}

/** The first place in a sorted list whose value is above. */
function above(list, value, low = 0) {
	let high = list.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (list[middle] <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
