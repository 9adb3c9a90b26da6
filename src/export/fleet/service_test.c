/* SPDX-License-Identifier: MIT */
#include "export/fleet/service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_services(void **state)
{
	static const struct { const char *path, *service; } groups[] = {
		{ "/system.slice/nginx.service", "nginx" },
		{ "/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1" },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/app-web.service", "app-web" },
		{ "/system.slice/docker-" ID ".scope", "0123456789ab" },
		{ "/docker/" ID, "0123456789ab" },
		{ "/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope", "0123456789ab" },
		{ "/system.slice/docker-" ID ".scope/init.service", "init" },
		{ "/kubepods/besteffort/pod1/" ID "/", "0123456789ab" },
		{ "/user.slice/user-1000.slice/session-3.scope", NULL },
		{ "/user.slice/user-1000.slice/user@1000.service/init.scope", NULL },
		{ "/", NULL },
		{ "", NULL },
		{ "/.service", NULL },
		{ "/docker/z123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", NULL },
	};
	char service[SERVICE_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		bool found = service_of_cgroup(groups[i].path, service, sizeof(service));

		assert_true(found == (groups[i].service != NULL));
		if (found)
			assert_string_equal(service, groups[i].service);
	}
}

static void test_long_names_are_cut(void **state)
{
	char service[8];

	(void)state;
	assert_true(service_of_cgroup("/a-very-long-name.service", service, sizeof(service)));
	assert_string_equal(service, "a-very-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_services),
		cmocka_unit_test(test_long_names_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
