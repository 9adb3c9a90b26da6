/* SPDX-License-Identifier: MIT */
/* memory_classes.h - accesses to memory by operation, cache, kind of memory and TLB, as with perf 7 */
#ifndef ANALYZE_ROWS_MEMORY_CLASSES_H
#define ANALYZE_ROWS_MEMORY_CLASSES_H

#include <stdint.h>

enum memory_part { MEMORY_OP, MEMORY_CACHE, MEMORY_KIND, MEMORY_DTLB, NR_MEMORY_PARTS };
enum { MEMORY_CLASSES = 7 };

/* The number of the class of an access, and its name; NULL beyond the last one, which is for all others. */
uint32_t memory_class(enum memory_part part, uint64_t data_src);
const char *memory_class_name(enum memory_part part, uint32_t number);

#endif
