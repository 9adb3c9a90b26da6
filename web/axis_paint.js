/* SPDX-License-Identifier: MIT */
/* The pixels of the time axis: densities as columns of colour, written into one image. */

const INTENSITIES = 64;

/** @param {string} text "#rrggbb" @returns {number[]} */
function channels(text) {
	const value = parseInt(text.slice(1), 16);
	return [value >> 16 & 255, value >> 8 & 255, value & 255];
}

/* As a pixel of an image: red is the lowest byte. */
function pixel([red, green, blue]) {
	return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

function mixed(a, b, share) {
	return a.map((value, i) => Math.round(value + (b[i] - value) * share));
}

/** An image of densities, in pixels of the screen. */
class DensityImage {
	constructor(context, width, height, palette) {
		const empty = channels(palette.panel), full = channels(palette.accent);
		this.image = context.createImageData(width, height);
		this.pixels = new Uint32Array(this.image.data.buffer);
		this.width = width;
		this.page = pixel(channels(palette.page));
		this.empty = pixel(empty);
		this.full = pixel(full);
		this.pixels.fill(this.page);
		this.shades = Uint32Array.from({ length: INTENSITIES + 1 }, (_, i) =>
			pixel(i === 0 ? empty : mixed(empty, full, 0.15 + 0.85 * i / INTENSITIES)));
	}

	/* The square root shows few samples beside many. */
	shade(value, most) {
		return this.shades[value > 0 ? Math.max(1, Math.round(INTENSITIES * Math.sqrt(value / most))) : 0];
	}

	/** A row of one colour for each column. */
	strip(values, at, top, height, most) {
		const { pixels, width } = this;
		for (let x = 0; x < width; x++) {
			const colour = this.shade(values[at + x], most);
			for (let y = top; y < top + height; y++)
				pixels[y * width + x] = colour;
		}
	}

	/** A filled curve. */
	curve(values, top, height, most) {
		const { pixels, width } = this;
		for (let x = 0; x < width; x++) {
			const high = values[x] > 0 ? Math.max(1, Math.round(height * values[x] / most)) : 0;
			for (let y = 0; y < height; y++)
				pixels[(top + y) * width + x] = y >= height - high ? this.full : this.empty;
		}
	}

	/** Cells of a heat map; those outside of a range are pale. */
	cells(map, values, top, height, range) {
		const { pixels, width } = this, most = values.reduce((a, b) => Math.max(a, b), 0) || 1;
		for (let x = 0; x < width; x++)
			for (let y = 0; y < height; y++) {
				const cell = map.cellAt(x / width, y / height);
				let colour = this.shade(values[cell], most);
				if (range && !map.isIn(cell, range))
					colour = values[cell] > 0 ? this.shades[10] : this.empty;
				pixels[(top + y) * width + x] = colour;
			}
	}
}

/** A pattern of slanted lines, for losses. */
function hatching(context, colour) {
	const tile = document.createElement("canvas");
	tile.width = tile.height = 6;
	const brush = tile.getContext("2d");
	brush.strokeStyle = colour;
	brush.lineWidth = 1.5;
	brush.beginPath();
	for (const x of [-6, 0, 6]) {
		brush.moveTo(x, 6);
		brush.lineTo(x + 6, 0);
	}
	brush.stroke();
	return context.createPattern(tile, "repeat");
}
