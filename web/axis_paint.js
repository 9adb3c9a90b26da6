/* SPDX-License-Identifier: MIT */
/* The pixels of the time axis: densities as columns of colour, written into one image. */

const INTENSITIES = 64;

/** An image of densities, in pixels of the screen. */
class DensityImage {
	constructor(context, width, height, palette) {
		const empty = channels(palette.panel), full = channels(palette.accent);
		this.image = context.createImageData(width, height);
		this.pixels = new Uint32Array(this.image.data.buffer);
		this.width = width;
		this.empty = pixel(empty);
		this.full = pixel(full);
		this.pixels.fill(pixel(channels(palette.page)));
		const shade = i => i === 0 ? empty : mixed(empty, full, 0.15 + 0.85 * i / INTENSITIES);
		this.shades = Uint32Array.from({ length: INTENSITIES + 1 }, (_, i) => pixel(shade(i)));
		const page = channels(palette.page);
		this.pale = Uint32Array.from(this.shades, (_, i) => pixel(mixed(shade(i), page, 0.66)));
	}

	/* The square root shows few samples beside many. */
	intensity(value, most) {
		return value > 0 ? Math.max(1, Math.round(INTENSITIES * Math.sqrt(value / most))) : 0;
	}

	/**
	 * The shares of states in each column, from the bottom up; any share is at least one pixel high.
	 * @param {Float32Array} shares StateTrack.shares()
	 * @param {number[]} colours pixels
	 */
	states(shares, top, height, colours) {
		const { pixels, width } = this, kinds = colours.length;
		for (let x = 0; x < width; x++) {
			let left = height;
			for (let y = 0; y < height; y++)
				pixels[(top + y) * width + x] = this.empty;
			for (let s = 0; s < kinds; s++) {
				const share = shares[x * kinds + s];
				const rows = share > 0 ? Math.min(left, Math.max(1, Math.round(share * height))) : 0;
				for (let y = 0; y < rows; y++)
					pixels[(top + --left) * width + x] = colours[s];
			}
		}
	}

	/** A row of one colour for each column. */
	strip(values, at, top, height, most) {
		const { pixels, width } = this;
		for (let x = 0; x < width; x++) {
			const colour = this.shades[this.intensity(values[at + x], most)];
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
				const shades = range && !map.isIn(cell, range) ? this.pale : this.shades;
				pixels[(top + y) * width + x] = shades[this.intensity(values[cell], most)];
			}
	}
}

/** A pattern of slanted lines, for losses. */
function hatching(context, colour) {
	const tile = document.createElement("canvas");
	tile.width = tile.height = 6;
	const brush = tile.getContext("2d");
	brush.strokeStyle = colour;
	brush.lineWidth = 1;
	brush.beginPath();
	for (const x of [-6, 0, 6]) {
		brush.moveTo(x, 6);
		brush.lineTo(x + 6, 0);
	}
	brush.stroke();
	return context.createPattern(tile, "repeat");
}
