/* SPDX-License-Identifier: MIT */
/* control.h - the words of `sonde record` about what happens while it runs: delays, control, switched output */
#ifndef CLI_RECORD_CONTROL_H
#define CLI_RECORD_CONTROL_H

/* Functions of the option table: 0, or -SONDE_USAGE after a message. */
int record_set_delay(const char *arg);
int record_set_control(const char *arg);
int record_set_switch(const char *arg);
int record_set_switch_max(const char *arg);
int record_set_snapshot(const char *arg);

#endif
