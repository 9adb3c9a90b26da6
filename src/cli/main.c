/* SPDX-License-Identifier: MIT */
#include <sonde/types.h>
#include <stdio.h>

int main(void)
{
	printf("sonde %s\n", sonde_version());
	return 0;
}
