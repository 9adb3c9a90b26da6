/* SPDX-License-Identifier: MIT */
/* inlined.cc - functions that are inlined into others, for inlined.py: templates, members, lambdas */
#include <vector>

template <typename T> static inline __attribute__((always_inline)) T mix(T a, T b)
{
	a ^= b + 0x9e3779b9 + (a << 6) + (a >> 2);
	return a;
}

struct table {
	std::vector<unsigned long> values;

	inline __attribute__((always_inline)) unsigned long fold(unsigned long s) const
	{
		for (auto v : values)
			s = mix(s, v);
		return s;
	}
};

template <typename F> static inline __attribute__((always_inline)) unsigned long times(int n, F f)
{
	unsigned long sum = 0;

	for (int i = 0; i < n; i++)
		sum += f(i);
	return sum;
}

extern "C" __attribute__((noinline)) unsigned long leaf(const table &t, int k)
{
	unsigned long r = t.fold(k);

	asm volatile("" : "+r"(r) : : "memory");
	return r;
}

static inline __attribute__((always_inline)) unsigned long between(const table &t, int k)
{
	unsigned long a = leaf(t, k);

	return mix(a, leaf(t, k + 1));
}

extern "C" __attribute__((noinline)) unsigned long middle(const table &t)
{
	return times(20, [&](int i) { return between(t, i) + 1; });
}

int main(int argc, char **argv)
{
	table t;

	(void)argv;
	for (int i = 0; i < argc; i++)
		t.values.push_back(i);
	return static_cast<int>(middle(t) & 1);
}
