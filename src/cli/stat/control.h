/* SPDX-License-Identifier: MIT */
/* control.h - the words that another program sends while `sonde stat` counts. */
#ifndef CLI_STAT_CONTROL_H
#define CLI_STAT_CONTROL_H

#include "cli/base/command.h"

struct stat_control {
	int fd, ack;                 /* -1: none */
	char line[64];
	size_t n;                    /* bytes of the line so far */
};

enum stat_word { STAT_WORD_NONE, STAT_WORD_ENABLE, STAT_WORD_DISABLE, STAT_WORD_PING, STAT_WORD_STOP };

/* "fd:N[,ACK]", "fifo:FILE[,ACK]": 0, or an exit status after a message. */
int stat_control_open(struct stat_control *c, const char *where);
void stat_control_close(struct stat_control *c);

/* The next word that was sent. It is to be answered by stat_control_ack() when it is done. */
enum stat_word stat_control_next(struct stat_control *c);
void stat_control_ack(const struct stat_control *c);

#endif
