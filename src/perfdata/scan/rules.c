/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/rules.h"

const struct sonde_check_rule check_rules[NR_CHECK_RULES] = { RULES(CHECK_RULE) };
