/* SPDX-License-Identifier: MIT */
/* format.h - numbers of the Parquet format (parquet.thrift of apache/parquet-format 2.x) that sonde writes and reads */
#ifndef PARQUET_FORMAT_H
#define PARQUET_FORMAT_H

#define PARQUET_MAGIC "PAR1"
#define PARQUET_MAGIC_BYTES 4
#define PARQUET_TAIL_BYTES 8     /* the length of the footer, and the magic */

/* Types of the values of a leaf column. */
enum physical_type { PHYSICAL_INT32 = 1, PHYSICAL_INT64 = 2, PHYSICAL_BYTE_ARRAY = 6 };

enum repetition { REPETITION_REQUIRED = 0, REPETITION_OPTIONAL = 1, REPETITION_REPEATED = 2 };

enum converted_type { CONVERTED_UTF8 = 0, CONVERTED_LIST = 3 };

/* Members of the union LogicalType. */
enum logical_type { LOGICAL_STRING = 1, LOGICAL_LIST = 3 };

enum encoding {
	ENCODING_PLAIN = 0, ENCODING_PLAIN_DICTIONARY = 2, ENCODING_RLE = 3, ENCODING_DELTA = 5,
	ENCODING_DICTIONARY = 8,
};

enum page_codec { PAGE_UNCOMPRESSED = 0, PAGE_ZSTD = 6 };

enum page_type { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

#endif
