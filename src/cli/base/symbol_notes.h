/* SPDX-License-Identifier: MIT */
/* symbol_notes.h - warnings about names and lines that are missing, when the symbols are freed: of symbol_options */
#ifndef CLI_BASE_SYMBOL_NOTES_H
#define CLI_BASE_SYMBOL_NOTES_H

/* Warns of every reason; call it before the command runs. */
void symbol_notes_warn(void);

/* Warns only of files with lines, for a command that tells about names itself. */
void symbol_notes_warn_of_lines(void);

#endif
