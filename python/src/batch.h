/* SPDX-License-Identifier: MIT */
/* batch.h - a batch of an Arrow stream, and its columns */
#ifndef PYTHON_BATCH_H
#define PYTHON_BATCH_H

#include "module.h"

/* Takes the array over, also when it fails; the schema is one of the stream's own. */
PyObject *batch_new(struct ArrowSchema *schema, struct ArrowArray *array);

#endif
