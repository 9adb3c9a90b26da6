/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/die_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "symbol/dwarf/die_walk.h"

enum {
	HOPS_MAX = 16,               /* from an entry to the one that has its name: 3 in practice */
	SCOPES_MAX = 64,
	NAME_MAX_BYTES = 1024,       /* of a name with its scopes */
};

/* The namespaces and classes of a unit, in preorder. */
struct unit_scopes {
	size_t n;
	struct name_scope { uint64_t start, end; const char *name; uint32_t parent; bool is_namespace; } at[];
};

#define SCOPE_NONE UINT32_MAX

void die_names_init(struct die_names *n)
{
	*n = (struct die_names){ .left = 65536 };
	pthread_mutex_init(&n->lock, NULL);
}

void die_names_allow(struct die_names *n, size_t info_bytes)
{
	pthread_mutex_lock(&n->lock);
	n->left += 4 * info_bytes;
	pthread_mutex_unlock(&n->lock);
}

void die_names_free(struct die_names *n)
{
	arena_free(&n->text);
	pthread_mutex_destroy(&n->lock);
}

/* The entry that says more about this one: of an inlined function the function, of that its declaration. */
static bool origin(struct die *die, struct unit **u)
{
	enum die_attr attr = DIE_HAS(die, ATTR_ABSTRACT_ORIGIN) ? ATTR_ABSTRACT_ORIGIN : ATTR_SPECIFICATION;
	uint64_t offset;

	return die_referred(*u, die, attr, u, &offset) && die_at(die, *u, offset);
}

/* Goes from *die and *u to the last origin. The linkage name, if there is one, else *plain. */
static const char *follow(struct die *die, struct unit **u, const char **plain)
{
	const char *name;

	*plain = NULL;
	for (int hops = 0; hops < HOPS_MAX; hops++) {
		name = die_string(*u, die, ATTR_LINKAGE_NAME);
		if (name && name[0])
			return name;
		if (!*plain)
			*plain = die_string(*u, die, ATTR_NAME);
		if (!origin(die, u))
			break;
	}
	return NULL;
}

static const char *scope_name(const struct die *scope, struct unit *u)
{
	struct die die = *scope;
	const char *plain;

	follow(&die, &u, &plain);
	return plain;
}

/* The scopes of a walk so far; those without an end are open. */
struct collected { VEC(struct name_scope) scopes; };

static int collect(struct collected *c, struct die_walk *w)
{
	uint32_t open = SCOPE_NONE;  /* the innermost scope of the entry */
	VEC(uint32_t) depths = { 0 };
	int r = 0;

	w->declarations = true;      /* what follows a scope may be only declared */

	while (r == 0 && die_walk_next(w)) {
		/* `depths` has the depth of each open scope */
		while (depths.n && depths.at[depths.n - 1] >= w->depth) {
			c->scopes.at[open].end = w->die.offset;
			open = c->scopes.at[open].parent;
			depths.n--;
		}
		if (w->die.abbrev->kind == DIE_FUNCTION && DIE_HAS(&w->die, ATTR_DECLARATION))
			die_walk_skip(w);
		if (w->die.abbrev->kind != DIE_SCOPE || !w->below)
			continue;
		r = vec_push(&c->scopes,
			     ((struct name_scope){ .start = w->die.offset,
						   .end = UINT64_MAX,
						   .parent = open,
						   .name = scope_name(&w->die, w->unit),
						   .is_namespace = w->die.abbrev->is_namespace }));
		if (r == 0)
			r = vec_push(&depths, w->depth);
		open = (uint32_t)c->scopes.n - 1;
	}
	vec_free(&depths);
	return r;
}

static struct unit_scopes *make_scopes(struct unit *u)
{
	struct collected c = { 0 };
	struct unit_scopes *s = NULL;
	struct die_walk w;

	if (!die_walk_begin(&w, u) || collect(&c, &w) == 0)
		s = calloc(1, sizeof(*s) + c.scopes.n * sizeof(*c.scopes.at));
	if (s && c.scopes.n)
		memcpy(s->at, c.scopes.at, c.scopes.n * sizeof(*c.scopes.at));
	if (s)
		s->n = c.scopes.n;
	vec_free(&c.scopes);
	return s;
}

/* NULL when out of memory. */
static const struct unit_scopes *scopes_of(struct unit *u)
{
	struct unit_scopes *s = __atomic_load_n(&u->scopes, __ATOMIC_ACQUIRE), *other = NULL;

	if (s)
		return s;
	s = make_scopes(u);
	if (s && !__atomic_compare_exchange_n(&u->scopes, &other, s, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		free(s);  /* another thread was first */
		s = other;
	}
	return s;
}

/* The innermost scope of an entry. */
static uint32_t scope_at(const struct unit_scopes *s, uint64_t offset)
{
	size_t low = 0, high = s->n;
	uint32_t i;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->at[middle].start < offset)
			low = middle + 1;
		else
			high = middle;
	}
	for (i = (uint32_t)low - 1; i != SCOPE_NONE && s->at[i].end <= offset; i = s->at[i].parent)
		;
	return i;
}

static const char *keep(struct die_names *n, const char *text, size_t size)
{
	const char *kept = NULL;

	pthread_mutex_lock(&n->lock);
	if (size < n->left) {
		kept = arena_strndup(&n->text, text, size);
		n->left -= size;
	}
	pthread_mutex_unlock(&n->lock);
	return kept;
}

/* The name with those of the scopes before it, or as it is where that is too long. */
static const char *with_scopes(struct die_names *n, struct unit *u, uint64_t offset, const char *name)
{
	const struct unit_scopes *s = scopes_of(u);
	const char *parts[SCOPES_MAX], *kept;
	char text[NAME_MAX_BYTES];
	size_t nr = 0, at = 0;

	for (uint32_t i = s ? scope_at(s, offset) : SCOPE_NONE; i != SCOPE_NONE && nr < SCOPES_MAX; i = s->at[i].parent)
		if (s->at[i].name)
			parts[nr++] = s->at[i].name;
		else if (s->at[i].is_namespace)
			parts[nr++] = "(anonymous namespace)";
	if (!nr)
		return name;
	while (nr && at < sizeof(text))
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s::", parts[--nr]);
	if (at < sizeof(text))
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s", name);
	kept = at < sizeof(text) ? keep(n, text, at) : NULL;
	return kept ? kept : name;
}

const char *die_names_of_function(struct die_names *n, struct unit *u, const struct die *die)
{
	struct die last = *die;
	const char *plain, *linkage = follow(&last, &u, &plain);

	if (linkage || !plain || u->is_c)
		return linkage ? linkage : plain;
	return with_scopes(n, u, last.offset, plain);
}
