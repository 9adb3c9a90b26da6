/* SPDX-License-Identifier: MIT */
/* view_request.c - a request to sonde view, byte by byte as it may come, and its target as a question of the page */
#include <stdlib.h>
#include <string.h>

#include "cli/view/http_request.h"
#include "export/page/question.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_question(struct sonde_str target)
{
	char *text = strndup(target.p, target.len);
	struct question q;

	if (text && question_parse(&q, text) == 0 &&
	    (q.nr_rows > QUESTION_MOST_ROWS || q.columns > QUESTION_MOST_COLUMNS || (q.has_range && q.from >= q.to)))
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + !size);   /* of its own, so that a read beyond it is seen */
	struct http_request r;
	int status = 0;

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	/* a request that is complete stays as it is, whatever follows */
	for (size_t n = size < 64 ? 0 : size - 64; n < size && !status; n++)
		status = http_request_parse(&r, copy, n);
	if (status && http_request_parse(&r, copy, size) != status)
		abort();
	status = http_request_parse(&r, copy, size);
	if (status == 200)
		check_question((struct sonde_str){ r.target.p + 1, r.target.len - 1 });
	free(copy);
	return 0;
}
