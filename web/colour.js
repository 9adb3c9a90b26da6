/* SPDX-License-Identifier: MIT */
/* Colours by their channels, for mixtures. */

/** @typedef {[red: number, green: number, blue: number]} Colour */

/** @param {string} text "#rrggbb" @returns {Colour} */
function channels(text) {
	const value = parseInt(text.slice(1), 16);
	return [value >> 16 & 255, value >> 8 & 255, value & 255];
}

/** As a pixel of an image: red is the lowest byte. @param {Colour} colour */
function pixel([red, green, blue]) {
	return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

/** @param {Colour} a @param {Colour} b @returns {Colour} */
function mixed(a, b, share) {
	const mix = i => Math.round(a[i] + (b[i] - a[i]) * share);
	return [mix(0), mix(1), mix(2)];
}
