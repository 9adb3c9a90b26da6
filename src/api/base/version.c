/* SPDX-License-Identifier: MIT */
#include <sonde/types.h>

const char *sonde_version(void)
{
	return SONDE_VERSION;
}
