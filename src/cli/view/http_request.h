/* SPDX-License-Identifier: MIT */
/*
 * http_request.h - the head of an HTTP request, as RFC 9112 has it, but stricter: GET without a body, no folded lines,
 * each line ends with CR LF, each field that is of interest comes once
 */
#ifndef CLI_VIEW_HTTP_REQUEST_H
#define CLI_VIEW_HTTP_REQUEST_H

#include <sonde/types.h>

enum { HTTP_MOST_HEAD = 16384 };

/* Views of the bytes of the request; p is NULL if there is no such field. */
struct http_request {
	struct sonde_str target;       /* begins with '/', printable ASCII */
	struct sonde_str host, origin, token;
};

/* 0: more bytes are needed; 200; else the status with which the request is refused. */
int http_request_parse(struct http_request *r, const char *p, size_t n);

/* Whether these are the bytes of @text. */
bool http_is(struct sonde_str s, const char *text);

/*
 * Whether @text is the address of a server on this machine, by number or name, after @prefix. Browsers leave the usual
 * port out.
 */
bool http_is_here(struct sonde_str text, const char *prefix, uint16_t port);

#endif
