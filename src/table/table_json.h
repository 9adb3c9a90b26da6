/* SPDX-License-Identifier: MIT */
/* table_json.h - a table as a JSON object: docs/analysis-json.md */
#ifndef TABLE_TABLE_JSON_H
#define TABLE_TABLE_JSON_H

#include "base/json.h"
#include "table/table.h"

enum { TABLES_SCHEMA = 1 };

void table_json(struct sonde_table *t, struct json *j);

#endif
