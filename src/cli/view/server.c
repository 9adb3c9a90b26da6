/* SPDX-License-Identifier: MIT */
#include "cli/view/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "cli/view/http_request.h"

enum { LEAST_BYTES_PER_MS = 64 };      /* that a browser has to take */
enum { STOP, LISTEN, FIRST };          /* places in the list of poll() */

enum stage { FREE, READING, WRITING, CLOSING };

struct connection {
	enum stage stage;
	int fd;
	uint64_t deadline;             /* in milliseconds */
	uint64_t number;               /* in the order in which they came */
	char *request;                 /* HTTP_MOST_HEAD bytes */
	size_t n;
	char head[1024];               /* of the answer */
	size_t head_n;
	char *owned;                   /* body, to be freed; or NULL */
	const char *body;
	size_t body_n, written;        /* written: of head and body */
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int server_open(struct server *s, uint16_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	uint8_t random[SERVER_TOKEN / 2];
	int yes = 1, failed;

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -EIO;
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(s->token + 2 * i, 3, "%02x", random[i]);
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return -errno;
	if (port)
		setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(s->fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(s->fd, SERVER_CONNECTIONS) < 0 ||
	    getsockname(s->fd, (struct sockaddr *)&at, &size) < 0) {
		failed = -errno;
		server_close(s);
		return failed;
	}
	s->port = ntohs(at.sin_port);
	return 0;
}

void server_close(struct server *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static void drop(struct connection *c)
{
	close(c->fd);
	free(c->owned);
	free(c->request);
	*c = (struct connection){ 0 };
}

/* ---- answers ---- */

static const char *reason(int status)
{
	static const struct { int status; const char *text; } known[] = {
		{ 200, "OK" }, { 400, "Bad Request" }, { 403, "Forbidden" }, { 404, "Not Found" },
		{ 405, "Method Not Allowed" }, { 408, "Request Timeout" }, { 413, "Content Too Large" },
		{ 431, "Request Header Fields Too Large" }, { 505, "HTTP Version Not Supported" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].status == status)
			return known[i].text;
	return "Internal Server Error";
}

/* The page has a policy of its own, which allows its scripts; both hold. */
static void begin_answer(struct connection *c, int status, const char *type)
{
	int n;

	if (status != 200) {
		c->body = reason(status);
		c->body_n = strlen(c->body);
		type = "text/plain; charset=utf-8";
	}
	n = snprintf(c->head, sizeof(c->head),
		     "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
		     "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
		     "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
		     "Content-Security-Policy: frame-ancestors 'none'%s\r\n%s\r\n",
		     status, reason(status), type, c->body_n,
		     strncmp(type, "text/html", 9) == 0 ? "" : "; default-src 'none'; sandbox",
		     status == 405 ? "Allow: GET\r\n" : "");
	c->head_n = (size_t)n;
	c->stage = WRITING;
	c->deadline = now() + SERVER_SECONDS * 1000 + c->body_n / LEAST_BYTES_PER_MS;
}

/* Takes the same time for every token of this length. */
static bool is_token(const struct server *s, struct sonde_str token)
{
	unsigned differs = 0;

	if (token.len != SERVER_TOKEN)
		return false;
	for (size_t i = 0; i < SERVER_TOKEN; i++)
		differs |= (unsigned char)(token.p[i] ^ s->token[i]);
	return differs == 0;
}

static int give_data(struct server *s, struct connection *c, struct sonde_str question)
{
	char *text = strndup(question.p, question.len);
	int status = text ? s->answer(s->ctx, text, &c->owned, &c->body_n) : 500;

	free(text);
	c->body = c->owned;
	return status ? status : 200;
}

static void answer(struct server *s, struct connection *c, const struct http_request *r, int status)
{
	static const char data[] = "/data/";
	const char *type = "application/octet-stream";

	if (status == 200 && !http_is_here(r->host, "", s->port))
		status = r->host.p ? 403 : 400;
	if (status == 200 && r->origin.p && !http_is_here(r->origin, "http://", s->port))
		status = 403;
	if (status == 200 && http_is(r->target, "/")) {
		type = "text/html; charset=utf-8";
		c->body = (const char *)s->page.p;
		c->body_n = s->page.len;
	} else if (status == 200 && r->target.len >= strlen(data) && memcmp(r->target.p, data, strlen(data)) == 0) {
		status = !is_token(s, r->token) ? 403 :
			 give_data(s, c, (struct sonde_str){ r->target.p + strlen(data),
							     r->target.len - strlen(data) });
	} else if (status == 200) {
		status = 404;
	}
	begin_answer(c, status, type);
}

/* ---- connections ---- */

static void take_request(struct server *s, struct connection *c)
{
	struct http_request r;
	ssize_t n = recv(c->fd, c->request + c->n, HTTP_MOST_HEAD - c->n, 0);
	int status;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(c);
		return;
	}
	c->n += (size_t)n;
	status = http_request_parse(&r, c->request, c->n);
	if (status)
		answer(s, c, &r, status);
}

static void write_answer(struct connection *c)
{
	size_t in_head = c->written < c->head_n ? c->head_n - c->written : 0;
	struct iovec parts[] = {
		{ c->head + c->head_n - in_head, in_head },
		{ (char *)c->body + (in_head ? 0 : c->written - c->head_n),
		  c->body_n - (in_head ? 0 : c->written - c->head_n) },
	};
	const struct msghdr message = { .msg_iov = parts, .msg_iovlen = c->body_n ? 2 : 1 };
	ssize_t n = sendmsg(c->fd, &message, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		drop(c);
		return;
	}
	c->written += (size_t)n;
	if (c->written < c->head_n + c->body_n)
		return;
	/* Bytes that nobody has read would make the kernel reset the connection, and the answer be lost. */
	shutdown(c->fd, SHUT_WR);
	free(c->owned);
	c->owned = NULL;
	c->stage = CLOSING;
	c->deadline = now() + 1000;
}

static void take_rest(struct connection *c)
{
	char scratch[4096];
	ssize_t n = recv(c->fd, scratch, sizeof(scratch), 0);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		drop(c);
}

/* Whether @a is to go rather than @b: those that are not being answered first, then the oldest. */
static bool goes_first(const struct connection *a, const struct connection *b)
{
	if ((a->stage == WRITING) != (b->stage == WRITING))
		return b->stage == WRITING;
	return a->deadline != b->deadline ? a->deadline < b->deadline : a->number < b->number;
}

/* A place for a new connection; another one ends if all are taken. */
static struct connection *find_place(struct connection *all)
{
	struct connection *best = &all[0];

	for (size_t i = 0; i < SERVER_CONNECTIONS; i++) {
		if (all[i].stage == FREE)
			return &all[i];
		if (goes_first(&all[i], best))
			best = &all[i];
	}
	drop(best);
	return best;
}

static void accept_one(struct server *s, struct connection *all)
{
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct connection *c = fd >= 0 ? find_place(all) : NULL;
	char *request = c ? malloc(HTTP_MOST_HEAD) : NULL;

	/* without descriptors poll() would return at once, again and again */
	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		usleep(10000);
	if (request)
		*c = (struct connection){ .stage = READING, .fd = fd, .request = request,
					  .deadline = now() + SERVER_SECONDS * 1000, .number = s->accepted++ };
	else if (fd >= 0)
		close(fd);
}

static void serve(struct server *s, struct connection *c)
{
	if (c->stage == READING)
		take_request(s, c);
	if (c->stage == WRITING)
		write_answer(c);
	else if (c->stage == CLOSING)
		take_rest(c);
}

/* Closes connections whose time is over; one that waits for its request is told so. */
static void end_late_ones(struct connection *all, uint64_t time)
{
	for (size_t i = 0; i < SERVER_CONNECTIONS; i++) {
		if (all[i].stage == FREE || all[i].deadline > time)
			continue;
		if (all[i].stage == READING && all[i].n) {
			begin_answer(&all[i], 408, "");
			write_answer(&all[i]);
		} else {
			drop(&all[i]);
		}
	}
}

/* Fills the list of poll(); returns the milliseconds until something is late, -1: nothing will be. */
static int prepare(const struct server *s, const struct connection *all, struct pollfd *fds, int stop_fd,
		   uint64_t idle_since)
{
	uint64_t next = s->idle_seconds ? idle_since + s->idle_seconds * 1000 : UINT64_MAX, time = now();

	fds[STOP] = (struct pollfd){ .fd = stop_fd, .events = POLLIN };
	fds[LISTEN] = (struct pollfd){ .fd = s->fd, .events = POLLIN };
	for (size_t i = 0; i < SERVER_CONNECTIONS; i++) {
		const struct connection *c = &all[i];

		fds[FIRST + i] = (struct pollfd){ .fd = c->stage == FREE ? -1 : c->fd,
						  .events = c->stage == WRITING ? POLLOUT : POLLIN };
		if (c->stage != FREE && c->deadline < next)
			next = c->deadline;
	}
	if (next == UINT64_MAX)
		return -1;
	return next <= time ? 0 : next - time < INT32_MAX ? (int)(next - time) : INT32_MAX;
}

int server_run(struct server *s, int stop_fd)
{
	struct connection *all = calloc(SERVER_CONNECTIONS, sizeof(*all));
	struct pollfd fds[FIRST + SERVER_CONNECTIONS];
	uint64_t idle_since = now();
	int ret = all ? 0 : -ENOMEM;

	while (ret == 0) {
		int wait_ms = prepare(s, all, fds, stop_fd, idle_since);

		if (poll(fds, FIRST + SERVER_CONNECTIONS, wait_ms) < 0) {
			ret = errno == EINTR ? 0 : -errno;
			continue;
		}
		if (fds[STOP].revents || (s->idle_seconds && now() >= idle_since + s->idle_seconds * 1000))
			break;
		for (size_t i = 0; i < SERVER_CONNECTIONS; i++) {
			if (fds[FIRST + i].revents && all[i].stage != FREE) {
				serve(s, &all[i]);
				idle_since = now();
			}
		}
		end_late_ones(all, now());
		if (fds[LISTEN].revents)
			accept_one(s, all);
	}
	for (size_t i = 0; all && i < SERVER_CONNECTIONS; i++)
		if (all[i].stage != FREE)
			drop(&all[i]);
	free(all);
	return ret;
}
