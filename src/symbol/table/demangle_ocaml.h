/* SPDX-License-Identifier: MIT */
/* demangle_ocaml.h - names that ocamlopt makes: "camlStdlib__List__iter_123" */
#ifndef SYMBOL_TABLE_DEMANGLE_OCAML_H
#define SYMBOL_TABLE_DEMANGLE_OCAML_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends "Stdlib.List.iter_123", as perf shows it; false, and nothing appended, if it is no such name. */
bool demangle_ocaml(struct buf *out, const char *name);

#endif
