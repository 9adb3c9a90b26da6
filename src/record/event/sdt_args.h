/* SPDX-License-Identifier: MIT */
/* sdt_args.h - the arguments of a static probe in the words of uprobe_events */
#ifndef RECORD_EVENT_SDT_ARGS_H
#define RECORD_EVENT_SDT_ARGS_H

#include <stddef.h>

/*
 * "-4@%edi 8@-16(%rbp) 4@$5" of x86-64 as "arg1=%di:s32 arg2=-16(%bp):u64 arg3=\5:u32". An argument that the kernel
 * cannot read so, such as one with an index register, is left out. Other processors: "".
 */
void sdt_args(const char *text, char *out, size_t size);

#endif
