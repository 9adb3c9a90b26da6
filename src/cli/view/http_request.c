/* SPDX-License-Identifier: MIT */
#include "cli/view/http_request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_FIELDS = 64, USUAL_PORT = 80 };

bool http_is(struct sonde_str s, const char *text)
{
	return s.p && s.len == strlen(text) && memcmp(s.p, text, s.len) == 0;
}

/* Takes the text before @c, and @c; p is NULL if there is no @c. */
static struct sonde_str take_until(struct sonde_str *s, char c)
{
	const char *end = s->len ? memchr(s->p, c, s->len) : NULL;
	struct sonde_str part = { NULL, 0 };

	if (end) {
		part = (struct sonde_str){ s->p, (size_t)(end - s->p) };
		s->len -= part.len + 1;
		s->p = end + 1;
	}
	return part;
}

/* Takes the CR from the end of a line; false if there is none, or another control byte in it. */
static bool is_text(struct sonde_str *line)
{
	if (!line->len || line->p[line->len - 1] != '\r')
		return false;
	line->len--;
	for (size_t i = 0; i < line->len; i++) {
		unsigned char c = (unsigned char)line->p[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static bool is_name(struct sonde_str s)
{
	static const char known[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (size_t i = 0; i < s.len; i++)
		if (!memchr(known, s.p[i], sizeof(known) - 1))
			return false;
	return s.len > 0;
}

/* "GET /data/profile HTTP/1.1" */
static int take_request_line(struct http_request *r, struct sonde_str line)
{
	struct sonde_str method = take_until(&line, ' '), target = take_until(&line, ' ');

	if (!method.p || !target.p || !is_name(method) || !target.len || target.p[0] != '/')
		return 400;
	for (size_t i = 0; i < target.len; i++)
		if (target.p[i] <= ' ' || target.p[i] > '~')
			return 400;
	if (!http_is(line, "HTTP/1.1") && !http_is(line, "HTTP/1.0"))
		return line.len > 5 && memcmp(line.p, "HTTP/", 5) == 0 ? 505 : 400;
	if (!http_is(method, "GET"))
		return 405;
	r->target = target;
	return 200;
}

static bool is_field(struct sonde_str name, const char *wanted)
{
	return name.len == strlen(wanted) && strncasecmp(name.p, wanted, name.len) == 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int take_field(struct http_request *r, struct sonde_str line)
{
	struct sonde_str name = take_until(&line, ':'), *place = NULL;

	if (!name.p || !is_name(name))
		return 400;
	for (; line.len && is_blank(line.p[0]); line.p++)
		line.len--;
	while (line.len && is_blank(line.p[line.len - 1]))
		line.len--;
	if (is_field(name, "Transfer-Encoding") || (is_field(name, "Content-Length") && !http_is(line, "0")))
		return 413;
	if (is_field(name, "Host"))
		place = &r->host;
	else if (is_field(name, "Origin"))
		place = &r->origin;
	else if (is_field(name, "Sonde-Token"))
		place = &r->token;
	if (place && place->p)
		return 400;
	if (place)
		*place = line;
	return 200;
}

int http_request_parse(struct http_request *r, const char *p, size_t n)
{
	struct sonde_str left = { p, n }, line = take_until(&left, '\n');
	int status;

	*r = (struct http_request){ 0 };
	if (!line.p)
		return n >= HTTP_MOST_HEAD ? 431 : 0;
	status = is_text(&line) ? take_request_line(r, line) : 400;
	for (int fields = 0; status == 200 && fields <= MOST_FIELDS; fields++) {
		line = take_until(&left, '\n');
		if (!line.p)
			return n >= HTTP_MOST_HEAD ? 431 : 0;
		if (!is_text(&line))
			return 400;
		if (!line.len)
			return 200;
		status = take_field(r, line);
	}
	return status == 200 ? 431 : status;
}

bool http_is_here(struct sonde_str text, const char *prefix, uint16_t port)
{
	static const char *const names[] = { "127.0.0.1", "localhost" };
	char here[64];

	for (size_t i = 0; i < 2; i++) {
		int n = snprintf(here, sizeof(here), "%s%s", prefix, names[i]);

		if (port == USUAL_PORT && http_is(text, here))
			return true;
		snprintf(here + n, sizeof(here) - (size_t)n, ":%u", port);
		if (http_is(text, here))
			return true;
	}
	return false;
}
