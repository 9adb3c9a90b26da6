/* SPDX-License-Identifier: MIT */
#include "cli/view/open_page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

bool open_page_is_likely(void)
{
	return getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
}

static int write_file(struct opened_page *page, const char *url)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");
	int n = snprintf(page->path, sizeof(page->path), "%s/sonde-view-XXXXXX.html", dir && *dir ? dir : "/tmp");
	bool fits = n > 0 && (size_t)n < sizeof(page->path);
	int fd = fits ? mkostemps(page->path, (int)strlen(".html"), O_CLOEXEC) : -1, failed = 0;

	if (fd < 0) {
		page->path[0] = '\0';
		return fits ? -errno : -ENAMETOOLONG;
	}
	if (dprintf(fd, "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
			"<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<title>sonde view</title>\n", url) < 0)
		failed = -errno;
	if (close(fd) < 0 && !failed)
		failed = -errno;
	return failed;
}

int open_page(struct opened_page *page, const char *url)
{
	char name[] = "xdg-open";
	char *const words[] = { name, page->path, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t child;
	int failed = write_file(page, url);

	if (failed)
		return failed;
	if (posix_spawn_file_actions_init(&files) != 0)
		return -ENOMEM;
	if (posix_spawnattr_init(&attr) != 0) {
		posix_spawn_file_actions_destroy(&files);
		return -ENOMEM;
	}
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	failed = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!failed)
		failed = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (!failed)
		failed = posix_spawnp(&child, name, &files, &attr, words, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return -failed;
}

void open_page_end(struct opened_page *page)
{
	if (page->path[0])
		unlink(page->path);
	page->path[0] = '\0';
}
