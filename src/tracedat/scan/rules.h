/* SPDX-License-Identifier: MIT */
/*
 * rules.h - the rules of a trace.dat, one row each
 *
 * To add a rule, add its row to DAT_RULES and break it with `dat_found()` where its bytes are read.
 */
#ifndef TRACEDAT_SCAN_RULES_H
#define TRACEDAT_SCAN_RULES_H

#include "model/findings.h"

/* name, severity, what is wrong */
#define DAT_RULES(ROW) \
	ROW(HEADER, "dat-header", ERROR, "the first bytes cannot be used") \
	ROW(COMPRESSION, "dat-compression", ERROR, "the name of the compression is not known") \
	ROW(UNFINISHED, "dat-unfinished", ERROR, \
	    "the recorder did not finish the file: it was killed, or is still at it") \
	ROW(BUNDLE_DAMAGED, "dat-bundle-damaged", WARNING, "the bundle behind the recording is damaged") \
	ROW(SECTION_CUT, "dat-section-cut", ERROR, "a section reaches beyond the end of the file") \
	ROW(SECTION_PACKED, "dat-section-compressed", ERROR, "a compressed section cannot be decompressed") \
	ROW(SECTION_UNKNOWN, "dat-section-unknown", NOTE, "an unknown section") \
	ROW(SECTION_STRAY, "dat-section-stray", WARNING, "a section that cannot be reached from the one before it") \
	ROW(OPTIONS_CHAIN, "dat-options-chain", ERROR, "the next options are not where they should be") \
	ROW(OPTIONS_CIRCLE, "dat-options-circle", ERROR, "options that were read already are named as the next") \
	ROW(OPTIONS_END, "dat-options-end", ERROR, "a list of options has no end mark") \
	ROW(OPTIONS_REST, "dat-options-rest", WARNING, "bytes after the end mark of a list of options") \
	ROW(OPTIONS_STRAY, "dat-options-stray", WARNING, "a list of options that none before it leads to") \
	ROW(OPTION_SIZE, "dat-option-size", ERROR, "an option is smaller than what it holds") \
	ROW(OPTION_UNKNOWN, "dat-option-unknown", NOTE, "an unknown option") \
	ROW(OPTION_POINTER, "dat-option-pointer", ERROR, "an option points to no section of its kind") \
	ROW(OPTION_STALE, "dat-option-stale", WARNING, "an option points to where its section was in another file") \
	ROW(METADATA_MISSING, "dat-metadata-missing", ERROR, "without header_page no page can be read") \
	ROW(METADATA_CUT, "dat-metadata-cut", ERROR, "metadata ends too early") \
	ROW(METADATA_REST, "dat-metadata-rest", NOTE, "bytes after the metadata in its section") \
	ROW(HEADER_PAGE, "dat-header-page", ERROR, "the text of header_page describes no page") \
	ROW(FORMAT, "dat-format", WARNING, "an event format cannot be parsed") \
	ROW(DATA_MARK, "dat-data-mark", ERROR, "no mark where the data should begin") \
	ROW(TABLE, "dat-table", ERROR, "the table of where the pages of the CPUs are is cut") \
	ROW(TABLE_PLACE, "dat-table-place", ERROR, "no table of pages is where the option of a buffer says") \
	ROW(BUFFER_STRAY, "dat-buffer-stray", WARNING, "a section of pages that no option describes") \
	ROW(CLOCK, "dat-clock", WARNING, "the name of the clock does not follow the table of the CPUs") \
	ROW(EXTENT_OUTSIDE, "dat-extent-outside", ERROR, "the pages of a CPU reach beyond the end of the file") \
	ROW(EXTENT_SECTION, "dat-extent-section", ERROR, "the pages of a CPU reach beyond the end of their section") \
	ROW(EXTENT_OVERLAP, "dat-extent-overlap", ERROR, "the pages of a CPU are those of another one too") \
	ROW(EXTENT_ALIGN, "dat-extent-align", WARNING, "the pages of a CPU do not begin at a multiple of their size") \
	ROW(EXTENT_SIZE, "dat-extent-size", NOTE, \
	    "the size of compressed pages is 4 too small, as trace-cmd before 3.2 wrote it") \
	ROW(EXTENT_CUT, "dat-extent-cut", WARNING, "the last page of a CPU is not whole") \
	ROW(CHUNK, "dat-chunk", ERROR, "a compressed chunk of pages cannot be decompressed") \
	ROW(PAGE, "dat-page", ERROR, "a page says that it holds more than a page can") \
	ROW(PAGE_EVENT, "dat-page-event", ERROR, "bytes in a page are no event") \
	ROW(PAGE_TIME, "dat-page-time", WARNING, "a page begins before the end of the one before it") \
	ROW(EVENT_ID, "dat-event-id", NOTE, "an event whose format is not in the file") \
	ROW(GAP, "dat-gap", NOTE, "bytes that belong to nothing") \
	ROW(NO_DATA, "dat-no-data", NOTE, "no buffer has pages")

#define ROW(id, name, severity, text) DAT_CHECK_##id,
enum dat_rule { DAT_RULES(ROW) NR_DAT_RULES };
#undef ROW

extern const struct sonde_check_rule dat_check_rules[NR_DAT_RULES];

/* Rule @rule, an id of this table, is broken; see findings_add(). */
#define dat_found(f, rule, ...) findings_add(f, &dat_check_rules[rule], __VA_ARGS__)

#endif
