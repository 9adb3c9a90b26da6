/* SPDX-License-Identifier: MIT */
/* data_types.c - functions that touch data of many types: touch_* as perf sees them, differ_* as sonde alone does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point { int x, y; };
union number { int i; float f; long l; };
struct node {
	struct node *next;
	long value;
	struct point at;
	union number number;
	struct { short low, high; };
	unsigned int flag : 1, rest : 7;
	char name[24];
	struct point corners[4];
	struct point *nearest;
};
typedef struct node node_t;
typedef node_t *node_p;
struct table { struct { int a; long b, c; } rows[4]; };
typedef struct table *table_p;
enum colour { RED, GREEN };
struct pixel { enum colour colour; int depth; };

#define TOUCH __attribute__((noinline))

static struct pixel pixels[64];
long table[256];
int numbers[256];
static volatile struct point here;
static node_t *first;
static struct table rows;

TOUCH long touch_list(const node_t *n)
{
	long sum = 0;

	for (; n; n = n->next)
		sum += n->value + n->at.y + n->high;
	return sum;
}

TOUCH long touch_typedef(node_p n)
{
	n->number.l++;
	n->flag ^= 1;
	return n->number.l + n->name[3] + n->rest;
}

TOUCH long touch_nested(struct node *n, int i)
{
	return n->corners[i & 3].y + n->nearest->x + n->next->next->nearest->y;
}

TOUCH int touch_structs(struct pixel *p, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		if (p[i].colour == GREEN)
			sum += p[i].depth;
		p[i].depth = i;
	}
	return sum;
}

TOUCH long touch_globals(int k)
{
	static volatile int calls[4];

	calls[2]++;
	here.x += k;
	pixels[3].depth = k;
	return table[17] + here.y + calls[1];
}

TOUCH int touch_chars(const char *s)
{
	int n = 0;

	while (*s)
		n += *s++ == 'a';
	return n;
}

TOUCH long touch_members(struct point **p, long *sum, int n)
{
	for (int i = 0; i < n; i++)
		*sum += p[i]->x;
	return *sum;
}

/* The place of an element is a sum. */
TOUCH long touch_elements(table_p t, node_p n, struct point *p, int i)
{
	t->rows[i & 3].a = i;
	p[i & 1].y += n[i & 1].at.x;
	return p[i & 1].x;
}

static inline int inlined(const struct point *p)
{
	return p->x * p->y;
}

TOUCH int touch_inlined(const struct node *n)
{
	int sum = inlined(&n->at);

	for (int i = 0; i < 4; i++)
		sum += inlined(&n->corners[i]);
	return sum + inlined(n->nearest);
}

TOUCH node_t *touch_result(int i)
{
	node_t *n = first;

	while (i-- > 0 && n->next)
		n = n->next;
	return n;
}

TOUCH long touch_call(int i)
{
	return touch_result(i)->value;
}

TOUCH long differ_stack(int k)
{
	volatile struct point points[8];

	for (int i = 0; i < 8; i++)
		points[i].y = k;
	return points[k & 7].y;
}

/* The parts of `one` come together on the stack. */
TOUCH long differ_slot(int k)
{
	volatile struct { int a; union number u; struct { short low, high; }; } one = { k, { .l = k }, { 1, 2 } };
	volatile short shorts[32];

	for (int i = 0; i < 32; i++)
		shorts[i] = (short)k;
	return shorts[k & 31] + one.high;
}

TOUCH int differ_fixed(long i)
{
	return numbers[i];
}

TOUCH double differ_float(const int *i)
{
	return *i;
}

TOUCH long differ_integer(unsigned long address)
{
	return *(volatile long *)address;
}

__attribute__((noinline, optimize("stack-protector-all"))) int differ_guard(int k)
{
	volatile char text[32];

	text[k & 31] = 'x';
	return text[0];
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1, sum = 0;
	struct point *points[16];

	for (int i = 0; i < 16; i++) {
		node_t *n = calloc(1, sizeof(*n));

		n->next = first;
		n->nearest = points[i] = &n->corners[i & 3];
		strcpy(n->name, "banana");
		first = n;
	}
	for (long r = 0; r < rounds; r++) {
		sum += touch_list(first) + touch_typedef(first) + touch_nested(first, (int)r);
		sum += touch_structs(pixels, 64) + touch_globals((int)r) + touch_chars(first->name);
		sum += touch_members(points, &sum, 16) + touch_inlined(first) + touch_call((int)r & 15);
		sum += touch_elements(&rows, first, points[0], (int)r & 1) + differ_stack((int)r);
		sum += (long)differ_float(&pixels[1].depth) + differ_guard((int)r);
		sum += differ_slot((int)r) + differ_fixed(r & 255);
		sum += differ_integer((unsigned long)&sum);
	}
	printf("%ld\n", sum);
	return 0;
}
