/* SPDX-License-Identifier: MIT */
/*
 * tables.h - typed tables as one page that needs no network: rows can be ordered by each column, and searched
 *
 * web/analysis.html is the fixed part; its script is the only one that the page's policy lets run. The rows are in the
 * page as they are, up to TABLES_ROWS_MOST of a table, which says so where there are more: a browser lays out no more
 * at once.
 */
#ifndef EXPORT_PAGE_TABLES_H
#define EXPORT_PAGE_TABLES_H

#include "base/buf.h"
#include "table/table.h"

enum { TABLES_ROWS_MOST = 50000 };

void table_page_begin(struct buf *b, const char *title, const char *note);
void table_page_add(struct buf *b, struct sonde_table *t);
void table_page_end(struct buf *b);

#endif
