/* SPDX-License-Identifier: MIT */
#include "tracedat/scan/rules.h"

const struct sonde_check_rule dat_check_rules[NR_DAT_RULES] = { DAT_RULES(CHECK_RULE) };
