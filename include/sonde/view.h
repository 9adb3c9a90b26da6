/* SPDX-License-Identifier: MIT */
/**
 * view.h - a page that asks a server for its data, for profiles that are too large for a file
 *
 *	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS, .timed = true };
 *	struct sonde_profile *p = sonde_profile_new(&opts);
 *	struct sonde_view *v = NULL;
 *
 *	if (p && sonde_profile_add(p, t, NULL) == 0)
 *		v = sonde_view_new(p, NULL, NULL);
 *	if (v && sonde_view_write_page(NULL, NULL) == 0 && sonde_view_answer(v, "profile", NULL, NULL) < 0)
 *		puts("the profile could not be written");
 *	sonde_view_free(v);
 *	sonde_profile_free(p);
 *
 * The page is that of sonde_export() with the format "html". It asks GET requests for data/QUESTION, with the header
 * Sonde-Token, whose value is `token` of the fragment of its address. `sonde view` is such a server. Questions and
 * answers are those of the page of the same version of the library.
 */
#ifndef SONDE_VIEW_H
#define SONDE_VIEW_H

#include <sonde/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_view;

/**
 * sonde_view_new - the data of @p for a page
 * @p: with `timed`, or there is no time axis; it stays as it is until sonde_view_free()
 * @opts: as for sonde_export(); may be NULL
 * @err: may be NULL
 * NULL when out of memory, or if @opts are refused.
 */
SONDE_API struct sonde_view *sonde_view_new(const struct sonde_profile *p, const struct sonde_export_opts *opts,
					    struct sonde_error *err);
SONDE_API void sonde_view_free(struct sonde_view *v);

/**
 * sonde_view_write_page - write the page, which is the same for all profiles
 * @to: NULL: the standard output
 * @err: may be NULL
 * Returns 0 or the failure.
 */
SONDE_API int sonde_view_write_page(const struct sonde_output *to, struct sonde_error *err);

/**
 * sonde_view_answer - write the answer to a question of the page
 * @question: what follows "data/" in its request
 * @to: NULL: the standard output
 * @err: may be NULL
 * Returns 0; -SONDE_USAGE if there is no such question; -SONDE_NOMEM, or the failure of @to.
 */
SONDE_API int sonde_view_answer(struct sonde_view *v, const char *question, const struct sonde_output *to,
				struct sonde_error *err);

#ifdef __cplusplus
}
#endif
#endif
