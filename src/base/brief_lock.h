/* SPDX-License-Identifier: MIT */
/* brief_lock.h - a mutex that is held for less time than sleeping takes: where they can, threads spin first */
#ifndef BASE_BRIEF_LOCK_H
#define BASE_BRIEF_LOCK_H

#include <pthread.h>

#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP  /* of glibc */
#define BRIEF_LOCK PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#else
#define BRIEF_LOCK PTHREAD_MUTEX_INITIALIZER
#endif

#endif
