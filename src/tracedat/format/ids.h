/* SPDX-License-Identifier: MIT */
/* ids.h - numbers of the sections and options of a trace.dat */
#ifndef TRACEDAT_FORMAT_IDS_H
#define TRACEDAT_FORMAT_IDS_H

#include <stdint.h>

#define SECTION_POINTERS 26          /* ids below this can be options that point to the section of the same id */

enum section_id {
	SECTION_OPTIONS = 0, SECTION_BUFFER = 3, SECTION_STRINGS = 15, SECTION_HEADER_INFO = 16, SECTION_FTRACE_FORMATS,
	SECTION_EVENT_FORMATS, SECTION_KALLSYMS, SECTION_PRINTK, SECTION_CMDLINES, SECTION_BUFFER_TEXT, SECTION_BTF,
	SECTION_MODULES = 25,
};

#define OPTION_DONE 0

enum {
	DAT_OPTION_DATE = 1,
	DAT_OPTION_CPUSTAT,
	DAT_OPTION_BUFFER,
	DAT_OPTION_TRACECLOCK,
	DAT_OPTION_UNAME,
	DAT_OPTION_HOOK,
	DAT_OPTION_OFFSET,
	DAT_OPTION_CPUCOUNT,
	DAT_OPTION_VERSION,
	DAT_OPTION_PROCMAPS,
	DAT_OPTION_TRACEID,
	DAT_OPTION_TIME_SHIFT,
	DAT_OPTION_GUEST,
	DAT_OPTION_TSC2NSEC,
	DAT_OPTION_LAST_BOOT_INFO = 24,
};

/* The value of option CPUSTAT in an unfinished file of sonde's recorder, until the statistics are known. trace-cmd
 * shows all CPUSTAT to its user as one text. */
#define DAT_UNFINISHED "Recording: unfinished\n"

/* The beginning of a line of CPUSTAT: the number of events of the CPU that sonde could not write
 * because the disk was full. */
#define DAT_UNWRITTEN "unwritten events: "

#endif
