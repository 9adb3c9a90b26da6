/* SPDX-License-Identifier: MIT */
/*
 * exporter.h - a process of low priority that adds the finished files of a recording to the data set of a fleet
 *
 * It is a process of its own: it takes no time from the threads of the recorder, and finishes what it was given when
 * the recorder is killed.
 */
#ifndef CLI_RECORD_EXPORTER_H
#define CLI_RECORD_EXPORTER_H

/* Of the option table: "parquet:DIR". 0, or -SONDE_USAGE after a message. */
int exporter_set(const char *arg);

/* Completes the options, after all words have been read. 0, or the exit status after a message. */
int exporter_settle(void);

/* Starts the process, while this one has one thread and no signal handlers. 0, or exit status 1 after a message. */
int exporter_start(void);

/* A file is finished. Nothing happens unless --export was given. */
void exporter_take(const char *path);

/* Waits until all files have been exported. The exit status. */
int exporter_finish(void);

#endif
