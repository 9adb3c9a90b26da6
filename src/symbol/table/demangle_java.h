/* SPDX-License-Identifier: MIT */
/* demangle_java.h - names of Java methods as a JVM's agent writes them: "Ljava/lang/String;charAt(I)C" */
#ifndef SYMBOL_TABLE_DEMANGLE_JAVA_H
#define SYMBOL_TABLE_DEMANGLE_JAVA_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends "java.lang.String.charAt(int)", as perf shows it; false, and nothing appended, if it is no such name. */
bool demangle_java(struct buf *out, const char *name);

#endif
