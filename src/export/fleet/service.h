/* SPDX-License-Identifier: MIT */
/* service.h - which service a thread belongs to, by its control group */
#ifndef EXPORT_FLEET_SERVICE_H
#define EXPORT_FLEET_SERVICE_H

#include <stdbool.h>
#include <stddef.h>

enum { SERVICE_MAX = 128 };

/*
 * The service of a control group: "nginx" for /system.slice/nginx.service, the first 12 digits of the id of a
 * container. False if the path names neither, as that of a login session.
 */
bool service_of_cgroup(const char *path, char *out, size_t size);

#endif
