/* SPDX-License-Identifier: MIT */
/* part_name.h - the files of records beside `data` in a directory: data.0, data.1 ... */
#ifndef PERFDATA_FORMAT_PART_NAME_H
#define PERFDATA_FORMAT_PART_NAME_H

#define PART_NAME_BYTES 16
#define DIR_FORMAT_PARTS 1           /* what the feature DIR_FORMAT says when there are such files */

#endif
