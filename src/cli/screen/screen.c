/* SPDX-License-Identifier: MIT */
#include "cli/screen/screen.h"

#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "cli/base/terminal.h"
#include "cli/screen/stop.h"
#include "cli/screen/theme.h"
#include "cli/screen/width.h"

enum { ESCAPE = 27, DELETE = 127, ESCAPE_WAIT_MS = 25 };

static bool begun;
static const struct theme *theme;
static struct termios before;
static char leave[128];              /* the terminal's words that end the screen */

/* After a crash ncurses cannot be called. */
static void on_crash(int sig)
{
	ssize_t n = write(STDOUT_FILENO, leave, strlen(leave));

	(void)n;
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void add_word(const char *capability)
{
	const char *word = tigetstr((char *)capability);
	size_t used = strlen(leave);

	if (word && word != (const char *)-1 && used + strlen(word) < sizeof(leave))
		strcpy(leave + used, word);
}

static void choose_colours(void)
{
	bool coloured = terminal_has_colour() && has_colors() && start_color() == OK;

	theme = theme_current(coloured);
	if (!coloured)
		return;
	use_default_colors();
	for (short i = SCREEN_PLAIN + 1; i < SCREEN_STYLES; i++) {
		short colour = COLORS >= 256 ? theme->looks[i].of_256 : theme->looks[i].of_8;

		if (colour >= 0)
			init_pair(i, colour, -1);
	}
}

bool screen_begin(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	SCREEN *screen;

	setlocale(LC_CTYPE, "");     /* for the width of characters */
	theme_current(false);        /* its warning is printed before the screen is taken */
	tcgetattr(STDIN_FILENO, &before);
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	begun = true;
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], on_crash);
	add_word("sgr0");
	add_word("rmkx");
	add_word("cnorm");
	add_word("rmcup");
	set_escdelay(ESCAPE_WAIT_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	choose_colours();
	return true;
}

void screen_end(void)
{
	if (begun)
		endwin();
	begun = false;
}

int screen_rows(void)
{
	return LINES;
}

int screen_columns(void)
{
	return COLS;
}

static attr_t attributes_of(enum screen_style style)
{
	const struct theme_look *l = &theme->looks[style];

	return (l->of_8 >= 0 ? (attr_t)COLOR_PAIR(style) : A_NORMAL) | (l->bold ? A_BOLD : A_NORMAL) |
	       (l->reverse ? A_REVERSE : A_NORMAL) | (l->dim ? A_DIM : A_NORMAL);
}

void screen_line_with_head(int row, enum screen_style head, size_t head_bytes, enum screen_style style,
			   const char *text)
{
	size_t left = strlen(text), at = 0, n;
	int column = 0;
	wchar_t c[2] = { 0 };

	if (row < 0 || row >= LINES)
		return;
	move(row, 0);
	clrtoeol();
	for (; at < left; at += n) {
		n = width_next(text + at, left - at, c);
		column += wcwidth(c[0]);
		if (column > COLS)
			break;
		attrset(attributes_of(at < head_bytes ? head : style));
		addwstr(c);
	}
	if (style == SCREEN_TITLE || style == SCREEN_SELECTED)
		for (attrset(attributes_of(style)); column < COLS; column++)
			addch(' ');
	attrset(A_NORMAL);
}

void screen_line(int row, enum screen_style style, const char *text)
{
	screen_line_with_head(row, style, 0, style, text);
}

void screen_clear(void)
{
	erase();
}

void screen_show(void)
{
	refresh();
}

static int translate(int key)
{
	switch (key) {
	case ERR: return SCREEN_NO_KEY;
	case KEY_UP: return SCREEN_UP;
	case KEY_DOWN: return SCREEN_DOWN;
	case KEY_LEFT: return SCREEN_LEFT;
	case KEY_RIGHT: return SCREEN_RIGHT;
	case '\t': return SCREEN_TAB;
	case KEY_BTAB: return SCREEN_BACK_TAB;
	case KEY_PPAGE: return SCREEN_PAGE_UP;
	case KEY_NPAGE: return SCREEN_PAGE_DOWN;
	case KEY_HOME: return SCREEN_FIRST;
	case KEY_END: return SCREEN_LAST;
	case KEY_ENTER:
	case '\r':
	case '\n': return SCREEN_ENTER;
	case ESCAPE: return SCREEN_ESCAPE;
	case KEY_BACKSPACE:
	case DELETE:
	case '\b': return SCREEN_BACKSPACE;
	case KEY_F(1): return SCREEN_HELP;
	case KEY_RESIZE: return SCREEN_RESIZED;
	}
	return key;
}

/* Keys that were pressed while something was made; later ones than fit wait in the terminal. */
static int early[64];
static size_t nr_early;

/* In the background, without a parent that could continue it, every read fails, and poll() does not wait. */
static int take_key(void)
{
	int key;

	errno = 0;
	key = getch();
	if (key == ERR && errno == EIO)
		stop_now();
	return key;
}

static int next_key(int ms, int wake_fd)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = wake_fd, .events = POLLIN } };
	int key = take_key();        /* ncurses may have read several */

	if (key == ERR && poll(fds, 2, ms) != 0)  /* also if a signal came: the terminal may have another size */
		key = take_key();
	if (key == KEY_RESIZE)
		clearok(curscr, TRUE);  /* terminals break lines anew */
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		stop_now();          /* a SIGHUP may be ignored */
	return translate(key);
}

int screen_key(int ms, int wake_fd)
{
	int key = early[0];

	if (!nr_early)
		return next_key(ms, wake_fd);
	memmove(early, early + 1, --nr_early * sizeof(*early));
	return key;
}

bool screen_escaped(int wake_fd)
{
	int key;

	while (nr_early < sizeof(early) / sizeof(early[0]) && (key = next_key(0, wake_fd)) != SCREEN_NO_KEY) {
		if (key == SCREEN_ESCAPE)
			return true;
		early[nr_early++] = key;
	}
	return false;
}

bool screen_ask(const char *question, char *text, size_t size, int wake_fd, void (*redraw)(void *ctx), void *ctx)
{
	struct pollfd wake = { .fd = wake_fd, .events = POLLIN };
	char line[1024];
	size_t n = strlen(text);

	for (;;) {
		int key;

		snprintf(line, sizeof(line), "%s%s_", question, text);
		screen_line(LINES - 1, SCREEN_TITLE, line);
		screen_show();
		key = screen_key(-1, wake_fd);
		if (key == SCREEN_ESCAPE || poll(&wake, 1, 0) > 0)
			return false;
		if (key == SCREEN_ENTER)
			return true;
		if (key == SCREEN_RESIZED)
			redraw(ctx);
		if (key == SCREEN_BACKSPACE && n)
			text[--n] = '\0';
		if (key >= ' ' && key < 256 && key != DELETE && n + 1 < size) {
			text[n++] = (char)key;
			text[n] = '\0';
		}
	}
}
