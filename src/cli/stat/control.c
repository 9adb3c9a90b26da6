/* SPDX-License-Identifier: MIT */
#include "cli/stat/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_fds(struct stat_control *c, const char *text)
{
	char *end;
	long fd = strtol(text, &end, 10), ack = -1;

	if (end == text || fd < 0)
		return say_usage("--control: '%s' is not a number of a file descriptor", text);
	if (*end == ',') {
		text = end + 1;
		ack = strtol(text, &end, 10);
		if (end == text || ack < 0)
			return say_usage("--control: '%s' is not a number of a file descriptor", text);
	}
	if (*end)
		return say_usage("--control: '%s' comes after the numbers", end);
	if (fcntl((int)fd, F_GETFL) < 0 || (ack >= 0 && fcntl((int)ack, F_GETFL) < 0))
		return say_usage("--control: file descriptor %ld is not open", fcntl((int)fd, F_GETFL) < 0 ? fd : ack);
	fcntl((int)fd, F_SETFL, fcntl((int)fd, F_GETFL) | O_NONBLOCK);
	c->fd = (int)fd;
	c->ack = (int)ack;
	return 0;
}

/* Opened for both ways, so that writers may come and go. */
static int open_fifo(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		say("--control: cannot open %s: %s", path, strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		return fd;
	say("--control: %s is no FIFO; `mkfifo %s` makes one", path, path);
	close(fd);
	return -1;
}

static int open_fifos(struct stat_control *c, const char *text)
{
	char *path = strdup(text), *comma = path ? strchr(path, ',') : NULL;

	if (!path)
		return say_out_of_memory();
	if (comma)
		*comma++ = '\0';
	c->fd = open_fifo(path);
	if (c->fd >= 0 && comma)
		c->ack = open_fifo(comma);
	free(path);
	return c->fd < 0 || (comma && c->ack < 0);
}

int stat_control_open(struct stat_control *c, const char *where)
{
	*c = (struct stat_control){ .fd = -1, .ack = -1 };
	if (!where)
		return 0;
	if (!strncmp(where, "fd:", 3))
		return open_fds(c, where + 3);
	if (!strncmp(where, "fifo:", 5))
		return open_fifos(c, where + 5);
	return say_usage("--control takes fd:N[,ACK] or fifo:FILE[,ACK], not '%s'", where);
}

void stat_control_close(struct stat_control *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->ack >= 0)
		close(c->ack);
	c->fd = c->ack = -1;
}

static enum stat_word word_of(const char *line)
{
	static const struct {
		const char *text;
		enum stat_word word;
	} words[] = {
		{ "enable", STAT_WORD_ENABLE }, { "disable", STAT_WORD_DISABLE }, { "ping", STAT_WORD_PING },
		{ "stop", STAT_WORD_STOP },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(line, words[i].text))
			return words[i].word;
	say("--control: '%.40s' is none of enable, disable, ping and stop", line);
	return STAT_WORD_NONE;
}

enum stat_word stat_control_next(struct stat_control *c)
{
	for (;;) {
		char byte;
		ssize_t r = c->fd < 0 ? -1 : read(c->fd, &byte, 1);
		enum stat_word word;

		if (r == 0) {                /* nobody will send any more */
			close(c->fd);
			c->fd = -1;
		}
		if (r <= 0)
			return STAT_WORD_NONE;
		if (byte != '\n' && byte != '\0') {
			if (c->n < sizeof(c->line) - 1)
				c->line[c->n++] = byte;
			continue;
		}
		c->line[c->n] = '\0';
		word = c->n ? word_of(c->line) : STAT_WORD_NONE;
		c->n = 0;
		if (word != STAT_WORD_NONE)
			return word;
	}
}

void stat_control_ack(const struct stat_control *c)
{
	/* with the NUL: readers of perf's answer expect it */
	if (c->ack >= 0 && write(c->ack, "ack\n", 5) < 0)
		say("--control: cannot answer: %s", strerror(errno));
}
