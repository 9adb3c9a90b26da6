/* SPDX-License-Identifier: MIT */
#include "stat/records.h"

#include "base/bytes.h"

uint64_t stat_recorded_mode(enum sonde_stat_by by)
{
	static const uint8_t modes[] = {
		[SONDE_STAT_BY_CPU] = 0, [SONDE_STAT_BY_EVENT] = 1, [SONDE_STAT_BY_SOCKET] = 2,
		[SONDE_STAT_BY_DIE] = 3, [SONDE_STAT_BY_CLUSTER] = 4, [SONDE_STAT_BY_CACHE] = 5,
		[SONDE_STAT_BY_CORE] = 6, [SONDE_STAT_BY_THREAD] = 7, [SONDE_STAT_BY_NODE] = 9,
	};

	return modes[by];
}

bool stat_mode_by(uint64_t mode, bool has_level, enum sonde_stat_by *out)
{
	static const enum sonde_stat_by newer[] = {
		SONDE_STAT_BY_CPU, SONDE_STAT_BY_EVENT, SONDE_STAT_BY_SOCKET, SONDE_STAT_BY_DIE, SONDE_STAT_BY_CLUSTER,
		SONDE_STAT_BY_CACHE, SONDE_STAT_BY_CORE, SONDE_STAT_BY_THREAD, SONDE_STAT_BY_EVENT, SONDE_STAT_BY_NODE,
	};
	static const enum sonde_stat_by older[] = {
		SONDE_STAT_BY_CPU, SONDE_STAT_BY_EVENT, SONDE_STAT_BY_SOCKET, SONDE_STAT_BY_DIE, SONDE_STAT_BY_CORE,
		SONDE_STAT_BY_THREAD, SONDE_STAT_BY_EVENT, SONDE_STAT_BY_NODE,
	};

	if (mode >= (has_level ? ARRAY_SIZE(newer) : ARRAY_SIZE(older)))
		return false;
	*out = has_level ? newer[mode] : older[mode];
	return true;
}
