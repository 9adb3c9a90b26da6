/* SPDX-License-Identifier: MIT */
#include "insight/analyses.h"

#include "base/str.h"
#include "insight/latency/latency.h"
#include "insight/map/map.h"
#include "insight/timehist/timehist.h"

static const struct analysis_ops *const analyses[] = {
	&timehist_analysis,
	&latency_analysis,
	&map_analysis,
};

const struct analysis_ops *analysis_at(size_t i)
{
	return i < ARRAY_SIZE(analyses) ? analyses[i] : NULL;
}
