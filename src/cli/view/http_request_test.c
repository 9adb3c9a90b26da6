/* SPDX-License-Identifier: MIT */
#include "cli/view/http_request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Parses a copy of exactly these bytes: ASan sees a byte that is read beyond them. */
static int parse(const char *text, size_t n)
{
	char *copy = malloc(n ? n : 1);
	struct http_request r;
	int status;

	assert_non_null(copy);
	memcpy(copy, text, n);
	status = http_request_parse(&r, copy, n);
	free(copy);
	return status;
}

#define HEAD "GET /data/profile HTTP/1.1\r\nHost: 127.0.0.1:80\r\n"

static void test_fields_are_found(void **state)
{
	static const char text[] = "GET /data/sums?event=0 HTTP/1.1\r\nhost:127.0.0.1:80 \t\r\nAccept: */*\r\n"
				   "Sonde-Token:  ab cd\r\nORIGIN: null\r\n\r\nrest";
	struct http_request r;

	(void)state;
	assert_int_equal(http_request_parse(&r, text, sizeof(text) - 1), 200);
	assert_true(http_is(r.target, "/data/sums?event=0"));
	assert_true(http_is(r.host, "127.0.0.1:80"));
	assert_true(http_is(r.token, "ab cd"));
	assert_true(http_is(r.origin, "null"));
	assert_int_equal(http_request_parse(&r, HEAD "\r\n", strlen(HEAD "\r\n")), 200);
	assert_null(r.token.p);
	assert_false(http_is(r.token, ""));
}

static void test_every_beginning_needs_more(void **state)
{
	static const char text[] = HEAD "Sonde-Token: x\r\n\r\n";

	(void)state;
	for (size_t n = 0; n < sizeof(text) - 1; n++)
		assert_int_equal(parse(text, n), 0);
	assert_int_equal(parse(text, sizeof(text) - 1), 200);
}

static void test_other_requests_are_refused(void **state)
{
	static const struct { const char *text; int status; } cases[] = {
		{ "POST / HTTP/1.1\r\n\r\n", 405 },
		{ "HEAD / HTTP/1.1\r\n\r\n", 405 },
		{ "OPTIONS / HTTP/1.1\r\n\r\n", 405 },
		{ "get / HTTP/1.1\r\n\r\n", 405 },
		{ "GET / HTTP/2.0\r\n\r\n", 505 },
		{ "GET / HTTP/1.1 \r\n\r\n", 505 },
		{ "GET / FTP/1.1\r\n\r\n", 400 },
		{ "GET /\r\n\r\n", 400 },
		{ "GET  / HTTP/1.1\r\n\r\n", 400 },
		{ "GET http://127.0.0.1/ HTTP/1.1\r\n\r\n", 400 },
		{ "GET /\x01 HTTP/1.1\r\n\r\n", 400 },
		{ "GET /\xc3\xa4 HTTP/1.1\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\n\n", 400 },
		{ "\r\nGET / HTTP/1.1\r\n\r\n", 400 },
		{ "\x16\x03\x01\n", 400 },
		{ HEAD " folded\r\n\r\n", 400 },
		{ HEAD "no colon\r\n\r\n", 400 },
		{ HEAD ": no name\r\n\r\n", 400 },
		{ HEAD "Host : x\r\n\r\n", 400 },
		{ HEAD "Host: x\r\n\r\n", 400 },
		{ HEAD "Sonde-Token: a\r\nSonde-Token: a\r\n\r\n", 400 },
		{ HEAD "X: a\rb\r\n\r\n", 400 },
		{ HEAD "Content-Length: 1\r\n\r\nx", 413 },
		{ HEAD "Transfer-Encoding: chunked\r\n\r\n", 413 },
		{ HEAD "Content-Length: 0\r\n\r\n", 200 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(parse(cases[i].text, strlen(cases[i].text)), cases[i].status);
	assert_int_equal(parse(HEAD "X: a\0b\r\n\r\n", sizeof(HEAD "X: a\0b\r\n\r\n") - 1), 400);
}

static void test_large_requests_are_refused(void **state)
{
	static char text[HTTP_MOST_HEAD];
	size_t n = 0;

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(parse(text, sizeof(text)), 431);
	memcpy(text, HEAD, strlen(HEAD));
	assert_int_equal(parse(text, sizeof(text) - 1), 0);
	assert_int_equal(parse(text, sizeof(text)), 431);
	n = strlen(HEAD);
	for (int i = 0; i < 100; i++, n += 6)
		memcpy(text + n, "a: b\r\n", 6);
	assert_int_equal(parse(text, n), 431);
}

static bool is_here(const char *text, const char *prefix, uint16_t port)
{
	return http_is_here((struct sonde_str){ text, strlen(text) }, prefix, port);
}

static void test_the_usual_port_may_be_left_out(void **state)
{
	(void)state;
	assert_true(is_here("127.0.0.1", "", 80) && is_here("http://localhost", "http://", 80));
	assert_true(is_here("127.0.0.1:80", "", 80) && is_here("localhost:8080", "", 8080));
	assert_false(is_here("127.0.0.1", "", 8080) || is_here("http://localhost", "http://", 8080));
	assert_false(is_here("localhost:80", "", 8080) || is_here("example.org", "", 80) || is_here("", "", 80));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_are_found),
		cmocka_unit_test(test_every_beginning_needs_more),
		cmocka_unit_test(test_other_requests_are_refused),
		cmocka_unit_test(test_large_requests_are_refused),
		cmocka_unit_test(test_the_usual_port_may_be_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
