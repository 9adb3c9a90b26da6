/* SPDX-License-Identifier: MIT */
/*
 * rules.h - the rules of the format, one row each
 *
 * To add a rule, add its row to RULES and break it with `found()` where its bytes are read.
 */
#ifndef PERFDATA_SCAN_RULES_H
#define PERFDATA_SCAN_RULES_H

#include "model/findings.h"

/* name, severity, text */
#define RULES(ROW) \
	ROW(HEADER_MAGIC, "header-magic", ERROR, "the file does not begin as a perf.data") \
	ROW(HEADER_SIZE, "header-size", ERROR, \
	    "the size of the header is neither that of a file nor that of a stream") \
	ROW(HEADER_CUT, "header-cut", ERROR, "the file ends within the header") \
	ROW(HEADER_VERSION, "header-version", NOTE, "the header is of version 1, which does not tell its byte order") \
	ROW(HEADER_OLD, "header-old", NOTE, "the header has no room for features") \
	ROW(EVENT_TYPES, "event-types", NOTE, \
	    "the section of event types, which no reader of today looks at, is not empty") \
	ROW(UNFINISHED, "unfinished", ERROR, "the recorder did not finish the file: it was killed, or is still at it") \
	ROW(SECTION_OUTSIDE, "section-outside", ERROR, "a section reaches beyond the end of the file") \
	ROW(SECTION_OVERLAP, "section-overlap", ERROR, "two sections overlap") \
	ROW(SECTION_GAP, "section-gap", NOTE, "bytes that belong to no section") \
	ROW(BUNDLE_CUT, "bundle-cut", WARNING, "a bundle begins behind the recording, and its end is missing") \
	ROW(BUNDLE_DAMAGED, "bundle-damaged", WARNING, "the bundle behind the recording is damaged") \
	ROW(ATTR_ENTRY_SIZE, "attr-entry-size", ERROR, "entries of the attrs section are too small or too large") \
	ROW(ATTRS_SIZE, "attrs-size", ERROR, "the attrs section is not a whole number of entries") \
	ROW(ATTRS_EMPTY, "attrs-empty", ERROR, "no event is described") \
	ROW(ATTR_ZERO, "attr-zero", ERROR, "an entry of the attrs section is all zeros, and describes no event") \
	ROW(ATTR_SIZE, "attr-size", WARNING, "the size in an attr is not that of its entry") \
	ROW(ATTR_BITS, "attr-bits", WARNING, "an attr has sample_type bits that are not known") \
	ROW(ATTR_LAYOUT, "attr-layout", ERROR, "events disagree where a record has its id") \
	ROW(ATTR_TRAILER, "attr-trailer", WARNING, "events disagree about sample_id_all") \
	ROW(IDS_SIZE, "ids-size", ERROR, "an id array is not a whole number of ids") \
	ROW(IDS_SHARED, "ids-shared", ERROR, \
	    "event ids are those of so many events that the file could not hold them") \
	ROW(IDS_NONE, "ids-none", WARNING, "one of several events has no ids") \
	ROW(ID_ZERO, "id-zero", WARNING, "an event has the id 0, which stands for no event") \
	ROW(ID_TWICE, "id-twice", ERROR, "two events have the same id") \
	ROW(FEATURE_TABLE, "feature-table", ERROR, "the feature table reaches beyond the end of the file") \
	ROW(FEATURE_SIZE, "feature-size", ERROR, "a feature is larger than any reader accepts") \
	ROW(FEATURE_CORRUPT, "feature-corrupt", ERROR, "a feature contradicts itself") \
	ROW(FEATURE_NEEDS, "feature-needs", WARNING, "a feature cannot be read whole without another one") \
	ROW(FEATURE_CONTRADICTS, "feature-contradicts", WARNING, \
	    "a feature contradicts another one, the events or the records") \
	ROW(FEATURE_UNKNOWN, "feature-unknown", NOTE, "a feature that is not known") \
	ROW(FEATURE_HOSTNAME, "feature-hostname", NOTE, \
	    "without HOSTNAME readers of the other byte order take features for absent") \
	ROW(EVENT_DESC, "event-desc", WARNING, "EVENT_DESC and the attrs do not describe the same events") \
	ROW(AUXTRACE_INDEX, "auxtrace-index", WARNING, "the index of AUXTRACE records points to something else") \
	ROW(PART_MISSING, "part-missing", WARNING, "a directory lacks one of its files of records") \
	ROW(RECORD_GARBAGE, "record-garbage", ERROR, "bytes that are no records") \
	ROW(RECORD_CUT, "record-cut", ERROR, "the last record is cut by the end") \
	ROW(RECORD_UNWRITTEN, "record-unwritten", WARNING, "zeros after the last record") \
	ROW(RECORD_SIZE, "record-size", ERROR, "a record is smaller than its fixed part") \
	ROW(RECORD_ALIGN, "record-align", WARNING, "the size of a record is not a multiple of 8") \
	ROW(RECORD_TYPE, "record-type", NOTE, "a record type that is not known") \
	ROW(RECORD_TRAILER, "record-trailer", ERROR, "a record has no room for its sample_id trailer") \
	ROW(RECORD_STRING, "record-string", WARNING, "the text in a record has no end") \
	ROW(RECORD_COUNT, "record-count", ERROR, "a count in a record promises more than the record holds") \
	ROW(RECORD_CPUMODE, "record-cpumode", NOTE, "a cpumode that is not known") \
	ROW(RECORD_ATTR, "record-attr", ERROR, "a HEADER_ATTR record does not hold its attr and whole ids") \
	ROW(RECORD_ID, "record-id", WARNING, "a record belongs to an event that is not described") \
	ROW(RECORD_TIME, "record-time", WARNING, "a record is older than a FINISHED_ROUND before it allows") \
	ROW(RECORD_DATA_SIZE, "record-data-size", WARNING, "data_size of a COMPRESSED2 is larger than the record") \
	ROW(RECORD_COMPRESSED, "record-compressed", NOTE, "compressed records of a kind that cannot be looked into") \
	ROW(RECORD_UNPACK, "record-unpack", ERROR, \
	    "a compressed record that cannot be decompressed, or not without end") \
	ROW(SAMPLE_CUT, "sample-cut", ERROR, "a sample ends before its fields do, or a count in it lies") \
	ROW(SAMPLE_REST, "sample-rest", WARNING, "a sample has bytes after its last field") \
	ROW(MAP_WRAPS, "map-wraps", WARNING, "a mapping reaches beyond the end of the address space") \
	ROW(ID_INDEX, "id-index", WARNING, "ID_INDEX has an id of no event") \
	ROW(TIME_CONV, "time-conv", WARNING, "TIME_CONV cannot convert: its shift or factor is impossible")

#define ROW(id, name, severity, text) CHECK_##id,
enum check_rule { RULES(ROW) NR_CHECK_RULES };
#undef ROW

extern const struct sonde_check_rule check_rules[NR_CHECK_RULES];

/* Rule @rule, an id of this table, is broken; see findings_add(). */
#define found(f, rule, ...) findings_add(f, &check_rules[rule], __VA_ARGS__)

#endif
