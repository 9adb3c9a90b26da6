/* SPDX-License-Identifier: MIT */
/* metric_expr.c - the text of an expression of a metric */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/metric_expr.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static double value(void *ctx, const char *name)
{
	(void)ctx;
	return name[0] == 'n' ? NAN : (double)strlen(name);
}

static bool has(void *ctx, const char *name)
{
	(void)ctx;
	return strlen(name) % 2;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const struct metric_env env = { value, has, value, NULL };
	char *text = malloc(size + 1);
	const char *bad = NULL;
	double v;

	if (!text)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	if (!metric_eval(text, &env, &v, &bad) && (bad < text || bad > text + strlen(text)))
		abort();             /* the place of a mistake is in the text */
	free(text);
	return 0;
}
