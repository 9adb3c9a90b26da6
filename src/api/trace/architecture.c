/* SPDX-License-Identifier: MIT */
#include "api/trace/architecture.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"

/* The facts that tell an architecture, by its name (uname -m). */
static const struct architecture {
	const char *name;
	uint16_t machine;            /* of an ELF file */
	uint64_t user_regs;          /* that perf and sonde record for unwinding: no other one has the same; or 0 */
	const char *release;         /* part of the kernel's release, as distributions name it; or NULL */
	const char *cpuid;           /* how the feature CPUID begins; or NULL */
} architectures[] = {
	{ "x86_64", EM_X86_64, 0xff0fff, "x86_64", "GenuineIntel," },
	{ "x86_64", EM_X86_64, 0, "amd64", "AuthenticAMD," },
	{ "aarch64", EM_AARCH64, (UINT64_C(1) << 33) - 1, "aarch64", NULL },
	{ "aarch64", EM_AARCH64, 0, "arm64", NULL },
	{ "i686", EM_386, 0, "i686", NULL },
	{ "armv7l", EM_ARM, 0xffff, "armmp", NULL },
	{ "s390x", EM_S390, 0, "s390x", "IBM," },
	{ "ppc64le", EM_PPC64, 0, "ppc64le", NULL },
	{ "riscv64", EM_RISCV, 0, "riscv64", NULL },
};

static bool records_registers(const struct reader *r, uint64_t user_regs)
{
	for (size_t i = 0; user_regs && i < r->evsels.n; i++) {
		const struct sonde_attr *a = r->evsels.at[i]->attr;

		if (a && a->sample_type & PERF_SAMPLE_REGS_USER && a->sample_regs_user == user_regs)
			return true;
	}
	return false;
}

/* Branches of calls are joined whatever the architecture is. */
static bool copies_stacks(const struct sonde_evsel *evsel)
{
	return evsel->attr && evsel->attr->sample_type & PERF_SAMPLE_STACK_USER;
}

static bool is_told_by(const struct reader *r, const struct architecture *a, int fact)
{
	const struct meta *m = &r->meta;

	switch (fact) {
	case 0:
		return m->e_machine == a->machine;
	case 1:
		return records_registers(r, a->user_regs);
	case 2:
		return m->cpuid && a->cpuid && strncmp(m->cpuid, a->cpuid, strlen(a->cpuid)) == 0;
	default:
		return m->osrelease && a->release && strstr(m->osrelease, a->release);
	}
}

void architecture_find(struct reader *r)
{
	bool copies = false;

	for (int fact = 0; !r->meta.arch && fact < 4; fact++)
		for (size_t i = 0; !r->meta.arch && i < ARRAY_SIZE(architectures); i++)
			if (is_told_by(r, &architectures[i], fact))
				r->meta.arch = architectures[i].name;
	if (r->meta.arch)
		return;
	for (size_t i = 0; i < r->evsels.n; i++)
		copies = copies || copies_stacks(r->evsels.at[i]);
	if (!copies)
		return;
	ledger_add(&r->ledger, SONDE_LOSS_FEATURE, 1, SONDE_NONE, SONDE_NONE, -1,
		   "recording that does not say of which architecture it is (ARCH): copies of stacks are not unwound");
	ledger_mark_lasting(&r->ledger);
}
