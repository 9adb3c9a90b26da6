/* SPDX-License-Identifier: MIT */
/*
 * server.h - a page and its data for the browsers of this machine, over HTTP on 127.0.0.1
 *
 * The page itself holds nothing of a trace. Data are given to those who know the token; Host and Origin must be those
 * of the server, so that no page of another site reads them, under whatever name. A connection is for one request,
 * which has SERVER_SECONDS to come and as long again to be answered.
 */
#ifndef CLI_VIEW_SERVER_H
#define CLI_VIEW_SERVER_H

#include <sonde/types.h>

enum {
	SERVER_CONNECTIONS = 32,
	SERVER_SECONDS = 10,
	SERVER_TOKEN = 32,             /* characters */
};

struct server {
	int fd;
	uint16_t port;
	char token[SERVER_TOKEN + 1];
	struct sonde_bytes page;       /* the answer to "/" */
	/*
	 * Answers "/data/QUESTION". 0: the bytes at *p, of malloc(), belong to the server; else a status of HTTP.
	 * @question: a string
	 */
	int (*answer)(void *ctx, const char *question, char **p, size_t *n);
	void *ctx;
	uint64_t idle_seconds;         /* ends after so long without a request; 0: never */
	uint64_t accepted;             /* connections */
};

/* Listens, at any port if @port is 0, and makes the token. 0, or the negative errno. */
int server_open(struct server *s, uint16_t port);

/* Answers until @stop_fd can be read, or for s->idle_seconds. 0, or the negative errno. */
int server_run(struct server *s, int stop_fd);

void server_close(struct server *s);

#endif
