/* SPDX-License-Identifier: MIT */
/*
 * safe_text.h - text of unknown origin in the forms that other programs read: one function for each
 *
 * Names of commands and functions are any bytes. JSON: buf_json(). Nothing is shortened.
 */
#ifndef BASE_SAFE_TEXT_H
#define BASE_SAFE_TEXT_H

#include "base/buf.h"

/* UTF-8: each other byte becomes U+FFFD. For protobuf, where one such byte makes a whole message invalid. */
void buf_utf8(struct buf *b, const char *s, size_t len);

/* XML, as content or between double quotes: & < > " as entities; control characters, which XML cannot have, U+FFFD. */
void buf_xml(struct buf *b, const char *s, size_t len);

/* A name that ends with its line: control characters become '?'. For callgrind and LLVM's profiles. */
void buf_line(struct buf *b, const char *s, size_t len);

/*
 * Between the double quotes of a value of a table (RFC 4180): quotes twice; what utf8_is_control() names other than tab
 * and ends of lines, and bytes that are not UTF-8, U+FFFD.
 */
void buf_csv(struct buf *b, const char *s, size_t len);

/*
 * Whether a text that begins with this character gets an apostrophe in front as a value of a table: spreadsheets take
 * the others for formulas; one that begins with an apostrophe keeps it, because readers remove the first one.
 */
bool csv_needs_apostrophe(char first);

#endif
