/* SPDX-License-Identifier: MIT */
/* debuginfod.h - whether servers are asked for symbols: options of symbol_options */
#ifndef CLI_BASE_DEBUGINFOD_H
#define CLI_BASE_DEBUGINFOD_H

/* Before the options are read: the usual variable turns debuginfod on. */
void debuginfod_begin(void);

/* --debuginfod[=URLS], --no-debuginfod */
int debuginfod_use(const char *urls);
int debuginfod_use_not(const char *arg);

#endif
