/* SPDX-License-Identifier: MIT */
/* stop.h - signals that end a view on a terminal */
#ifndef CLI_SCREEN_STOP_H
#define CLI_SCREEN_STOP_H

#include <stdbool.h>

/* @wake_fd: an eventfd that is written to when a signal comes */
void stop_catch_signals(int wake_fd);

/* The signal that came; 0: none. */
int stop_caught(void);

/* As if a signal had come: the terminal is gone. */
void stop_now(void);

#endif
