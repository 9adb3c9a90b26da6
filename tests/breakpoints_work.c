/* SPDX-License-Identifier: MIT */
/* breakpoints_work.c - ends with 0 where breakpoints count what they should */
#include "record/count/breakpoint_test.h"

int main(void)
{
	return breakpoints_work_here() ? 0 : 1;
}
