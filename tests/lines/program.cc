/* SPDX-License-Identifier: MIT */
/* What oracles.sh compiles: templates and methods that are inlined into each other, in several units if asked. */
volatile int sink;

namespace space {

template <class T> struct box {
	T value;
	explicit box(T v) : value(v) {}
	T get() const { return value; }
	box operator+(const box &other) const { return box(value + other.value); }
	template <class F> box map(F f) const { return box(f(value)); }
};

struct shape {
	virtual ~shape() {}
	virtual int area() const = 0;
	int twice() const { return 2 * area(); }
};

struct square : shape {
	int side;
	explicit square(int s) : side(s) {}
	int area() const override { return side * side; }
};

struct rectangle : shape {
	box<int> a, b;
	rectangle(int x, int y) : a(x), b(y) {}
	int area() const override { return a.get() * b.get(); }
};

namespace {
template <int N> inline int unroll(int x)
{
	sink = x;
	return unroll<N - 1>(x + sink) + N;
}

template <> inline int unroll<0>(int x)
{
	return x;
}
}

__attribute__((noinline)) int sum(const shape *const *shapes, int n)
{
	int total = 0;

	for (int i = 0; i < n; i++) {
		total += shapes[i]->twice();
		if (total > 1000)
			total = unroll<4>(total);
		else
			sink = total;
	}
	return total;
}

template <class T> __attribute__((noinline)) T fold(const T *from, int n)
{
	T all = from[0];

	for (int i = 1; i < n; i++)
		all = all + from[i].map([](auto v) { return v * 3 + static_cast<decltype(v)>(sink); });
	return all;
}

}

int main(int argc, char **)
{
	space::square s(argc);
	space::rectangle r(argc, 3);
	const space::shape *shapes[] = { &s, &r };
	space::box<int> ints[] = { space::box<int>(1), space::box<int>(argc) };
	space::box<double> doubles[] = { space::box<double>(1.5), space::box<double>(argc) };

	sink = space::fold(ints, 2).get();
	sink = static_cast<int>(space::fold(doubles, 2).get());
	return space::sum(shapes, argc > 1 ? 2 : 1) + space::unroll<7>(argc);
}
