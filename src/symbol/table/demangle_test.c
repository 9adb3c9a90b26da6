/* SPDX-License-Identifier: MIT */
#include "symbol/table/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bytes.h"

/*
 * The text of perf 6.1, and of 7.2 with the parameters of C++, unless the row says otherwise. NULL: the name stays
 * as it is.
 */
static const struct { const char *name, *shown; } names[] = {
	/* C++ */
	{ "_Z3foov", "foo" },
	{ "_ZN3foo3barEi", "foo::bar" },
	{ "_ZNKSt6vectorIiSaIiEE4sizeEv", "std::vector<int, std::allocator<int> >::size" },
	{ "_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo" },
	{ "_Z3fooIiET_S0_", "foo<int>" },
	{ "_ZN1AC1Ev", "A::A" },
	{ "_ZN1AD0Ev", "A::~A" },
	{ "_ZThn8_N1B1fEv", "non-virtual thunk to B::f()" },
	{ "_ZNSt8functionIFvvEEC2EOS1_", "std::function<void ()>::function" },
	{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()" },
	{ "_ZN3FooclERKSs", "Foo::operator()" },
	{ "_ZN3FoocvbEv", "Foo::operator bool" },
	{ "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev",
	  "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::~basic_string" },
	{ "_ZL7helperci", "helperc" },
	{ "_ZNK3FoossERKS_", "Foo::operator<=>" },
	{ "_Z4testILi5EEvv", "test<5>" },
	{ "_Znwm", "operator new" },
	{ "_ZSt4sortIPiEvT_S1_", "std::sort<int*>" },
	{ "_GLOBAL__I_a", "global constructors keyed to a" },
	{ "_GLOBAL__sub_I_main", NULL },
	{ "__Z3foov", NULL },
	{ "___Z10blocksNSAv_block_invoke", NULL },
	/* parts and copies that a compiler makes */
	{ "_Z3foov.isra.0", "foo" },
	{ "_Z3foov.constprop.0", "foo" },
	{ "_Z3foov.part.1", "foo" },
	{ "_Z3foov.cold", "foo" },
	{ "_Z3foov.isra.0.cold", "foo" },
	{ "_Z3foov.llvm.1234567890", "foo" },
	{ "_Z3foov.__uniq.1234567", "foo" },
	{ "_Z3barv.lto_priv.0", "bar" },
	{ "_ZN5outer5inner3fooEv.part.0.cold.1", "outer::inner::foo" },
	{ "foo.isra.0", NULL },
	{ "foo.cold", NULL },
	{ "foo.llvm.123", NULL },
	/* Rust, both schemes, without the hashes */
	{ "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str" },
	{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	  "<Test + 'static as foo::Bar<Test>>::bar" },
	{ "_ZN3std2io5Write9write_fmt17h0123456789abcdefE.llvm.9D1C9369", "std::io::Write::write_fmt" },
	{ "_ZN4main4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "main::main::{{closure}}" },
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	{ "_RNvCs1234_7mycrate4main", "mycrate::main" },
	{ "_RNCNvCsgStHSCytQ6I_7mycrate4main0B3_", "mycrate::main::{closure#0}" },
	{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>" },
	{ "_RNvMNtCs1234_7mycrate3fooNtB2_3Bar3baz", "<mycrate::foo::Bar>::baz" },
	{ "_RNvXs_NtCs1234_7mycrate3fooNtB4_3BarNtNtCs5678_4core3fmt7Display3fmt",
	  "<mycrate::foo::Bar as core::fmt::Display>::fmt" },
	{ "_RINvMsY_NtCseXNvpPnDBDp_3std3memINtB3_6OptionNtNtCs1_3foo3bar3BazE3new", NULL },
	{ "_RNvC6_123foo3bar.llvm.1234567890ABCDEF", "123foo::bar" },
	/* D, which perf leaves as it is */
	{ "_D8demangle4testFaZv", "demangle.test(char)" },
	{ "_D3std5stdio4File5closeMFNeZv", "std.stdio.File.close()" },
	{ "_Dmain", "D main" },
	/* OCaml */
	{ "camlStdlib__List__iter_123", "Stdlib.List.iter_123" },
	{ "camlFoo__fun_456", "Foo.fun_456" },
	{ "camlMain__entry", "Main.entry" },
	{ "camlStdlib__$5e_123", "Stdlib.^_123" },
	{ "camlFoo__$26$26_1", "Foo.&&_1" },
	{ "camlFoo__bar$27_1", "Foo.bar'_1" },
	{ "camlDune__exe__Foo__bar_12", "Dune.exe.Foo.bar_12" },
	{ "camlDune__exe__Foo.bar_12", "Dune.exe.Foo.bar_12" },
	{ "camlCamlinternalFormat__make_printf_3456", "CamlinternalFormat.make_printf_3456" },
	{ "camlA___b", "A._b" },
	{ "camlFoo__", "Foo." },
	{ "camlFoo__bar$5", "Foo.bar$5" },
	{ "camlFoo__bar$zz", "Foo.bar$zz" },
	{ "camlFoo__bar$00", "Foo.bar$00" },
	{ "camlFoo__fun_456.isra.0", "Foo.fun_456.isra.0" },
	{ "caml_main", NULL },
	{ "caml_alloc_shr", NULL },
	{ "camlfoo__x", NULL },
	{ "caml", NULL },
	/* Java; perf has room for 50 letters, moves the brackets of arrays and drops the point before <init> */
	{ "Ljava/lang/StringLatin1;equals([B[B)Z", "java.lang.StringLatin1.equals(byte[], byte[])" },
	{ "Ljava/lang/Object;hashCode()I", "java.lang.Object.hashCode()" },
	{ "Ljava/util/HashMap;getNode(ILjava/lang/Object;)Ljava/util/HashMap$Node;",
	  "java.util.HashMap.getNode(int, java.lang.Object)" },
	{ "Lfoo/Bar$Inner;lambda$main$0(Ljava/lang/Object;)V", "foo.Bar$Inner.lambda$main$0(java.lang.Object)" },
	{ "LFoo;bar(JZDFSCB)V", "Foo.bar(long, boolean, double, float, short, char, byte)" },
	{ "LFoo;bar([[Ljava/lang/String;I)V", "Foo.bar(java.lang.String[][], int)" },
	{ "LFoo;<init>([CII)V", "Foo.<init>(char[], int, int)" },
	{ "LFoo;bar", NULL },
	{ "LFoo;bar(I", NULL },
	{ "LFoo;bar(Q)V", NULL },
	{ "LFoo;bar(LFoo)V", NULL },
	{ "LFoo;bar(I)", NULL },
	{ "LFoo;bar(I)Vx", NULL },
	{ "LFoo(I)V", NULL },
	{ "L;bar(I)V", NULL },
	{ "LFoo;(I)V", NULL },
	{ "LazyCompile:~f(a) x.js:1", NULL },
	{ "java/lang/String::charAt", NULL },
	/* Go's are not mangled; of Swift's, no library here knows the scheme, nor does perf */
	{ "main.(*T).Method", NULL },
	{ "type:.eq.main.T", NULL },
	{ "$s4main3fooyyF", NULL },
	{ "_$s4main3fooyyF", NULL },
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct buf out = BUF_MEMORY;

		buf_char(&out, '>');
		assert_int_equal(demangle(&out, names[i].name), names[i].shown != NULL);
		buf_char(&out, 0);
		assert_string_equal(out.p + 1, names[i].shown ? names[i].shown : "");
		buf_free(&out);
	}
}

/* A name that is cut off anywhere reads no byte past its end. */
static void test_every_prefix(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t n = 0; n < strlen(names[i].name); n++) {
			struct buf out = BUF_MEMORY;
			char *cut = strndup(names[i].name, n);

			if (!demangle(&out, cut))
				assert_int_equal(out.n, 0);
			free(cut);
			buf_free(&out);
		}
}

/* A type of more dimensions than an array can have. */
static void test_dimensions(void **state)
{
	struct buf out = BUF_MEMORY;
	char name[600] = "LFoo;bar(";

	(void)state;
	memset(name + 9, '[', 256);
	strcpy(name + 9 + 255, "I)V");
	assert_true(demangle(&out, name));
	strcpy(name + 9 + 256, "I)V");
	memset(name + 9, '[', 256);
	assert_false(demangle(&out, name));
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_dimensions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
