/* SPDX-License-Identifier: MIT */
/* table.c - the public functions of tables; struct sonde_table is that of the table room */
#include <sonde/table.h>

#include "table/table.h"

const char *sonde_table_kind_name(enum sonde_table_kind kind)
{
	return table_kind_name(kind);
}

const struct sonde_table_column *sonde_table_schema_column_at(const struct sonde_table_schema *schema, size_t i)
{
	const struct sonde_table_column *c = ((const struct table_schema *)schema)->columns;

	while (c->name && i > 0) {
		c++;
		i--;
	}
	return c->name ? c : NULL;
}

const struct sonde_table_info *sonde_table_info(const struct sonde_table *t)
{
	return &t->info;
}

const struct sonde_table_column *sonde_table_column_at(const struct sonde_table *t, size_t i)
{
	return i < t->info.columns ? &t->columns[i] : NULL;
}

const struct sonde_table_value *sonde_table_value_at(struct sonde_table *t, size_t row, size_t column)
{
	return table_value(t, row, column);
}
