/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void err_fill(struct sonde_error *e, enum sonde_code code, int sys_errno, uint64_t at, const char *fmt,
		     va_list ap) __attribute__((format(printf, 5, 0)));

static void err_fill(struct sonde_error *e, enum sonde_code code, int sys_errno, uint64_t at, const char *fmt,
		     va_list ap)
{
	e->sz = sizeof(*e);
	e->code = code;
	e->sys_errno = sys_errno;
	e->file_offset = at;
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
}

int err_set(struct sonde_error *e, enum sonde_code code, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	if (e && !e->code) {
		va_start(ap, fmt);
		err_fill(e, code, 0, at, fmt, ap);
		va_end(ap);
	}
	return -(int)code;
}

int err_sys(struct sonde_error *e, int sys_errno, const char *fmt, ...)
{
	enum sonde_code code = sys_errno == EACCES || sys_errno == EPERM ? SONDE_DENIED : SONDE_SYSTEM;
	va_list ap;
	size_t n;

	if (e && !e->code) {
		va_start(ap, fmt);
		err_fill(e, code, sys_errno, SONDE_NONE, fmt, ap);
		va_end(ap);
		n = strlen(e->text);
		snprintf(e->text + n, sizeof(e->text) - n, ": %s", strerror(sys_errno));
	}
	return -(int)code;
}

int err_nomem(struct sonde_error *e)
{
	return err_set(e, SONDE_NOMEM, SONDE_NONE, "out of memory");
}

void err_clear(struct sonde_error *e)
{
	if (!e)
		return;
	e->sz = sizeof(*e);
	e->code = 0;
	e->sys_errno = 0;
	e->file_offset = SONDE_NONE;
	e->text[0] = '\0';
}
