/* SPDX-License-Identifier: MIT */
/* A search: a regular expression over function names, or over binaries after "dso:". */

class Search {
	constructor(text) {
		this.text = text.trim();
		this.byDso = /^dso:/i.test(this.text);
		this.error = "";
		const pattern = this.byDso ? this.text.slice(4).trim() : this.text;
		this.active = pattern !== "";
		try {
			/*
			 * Lower case ignores case, a capital letter makes it matter; \S and the like are no capitals.
			 */
			this.regexp = new RegExp(pattern, /[A-Z]/.test(pattern.replace(/\\./g, "")) ? "" : "i");
		} catch (e) {
			this.regexp = new RegExp(Search.quote(pattern), "i");
			this.error = "not a regular expression: searched as plain text";
		}
	}

	static quote(text) {
		return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
	}

	/* One byte for each frame: 1 if it matches. Each distinct string is tested once. */
	frames(frames) {
		const index = this.byDso ? frames.dsoIndex : frames.symbolIndex;
		const tried = new Uint8Array(frames.strings.length);  /* 1: no, 2: yes */
		const wanted = new Uint8Array(frames.n);
		for (let f = 0; f < frames.n; f++) {
			const s = index[f];
			if (!tried[s])
				tried[s] = this.regexp.test(frames.strings[s]) ? 2 : 1;
			wanted[f] = tried[s] - 1;
		}
		return wanted;
	}
}
