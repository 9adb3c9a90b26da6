/* SPDX-License-Identifier: MIT */
/*
 * kvm.c - shadow pages of KVM, whose print formats are statements of the kernel
 *
 *	new sp gfn 40000 2 q0 direct wux !pae nxe !wp root 0 sync
 */
#include "tracefmt/plugin/plugins.h"

enum { ROLE, ROOT_COUNT, UNSYNC, GFN, CREATED };

/* Bits of a role, as trace-cmd takes them: union kvm_mmu_page_role of x86, which newer kernels have changed in part. */
enum {
	PAE = 1 << 4,
	DIRECT = 1 << 7,
	EXECUTE = 1 << 8,
	WRITE = 1 << 9,
	USER = 1 << 10,
	INVALID = 1 << 11,
	NXE = 1 << 12,
	WP = 1 << 13,
	SMEP = 1 << 14,
	SMAP = 1 << 15,
};

static void print_role(const struct printing *p, uint32_t role)
{
	seq_decimal(p->out, role & 15);
	seq_put(p->out, " q", 2);
	seq_decimal(p->out, role >> 5 & 3);
	printing_str(p, role & DIRECT ? " direct " : " ");
	seq_char(p->out, role & WRITE ? 'w' : '-');
	seq_char(p->out, role & USER ? 'u' : '-');
	seq_char(p->out, role & EXECUTE ? 'x' : '-');
	printing_str(p, role & INVALID ? " invalid" : "");
	printing_str(p, role & PAE ? " pae" : " !pae");
	printing_str(p, role & NXE ? " nxe" : " !nxe");
	printing_str(p, role & WP ? " wp" : " !wp");
	printing_str(p, role & SMEP ? " smep" : "");
	printing_str(p, role & SMAP ? " smap" : "");
	printing_str(p, role >> 24 ? " smm" : "");
}

bool print_mmu_page(const struct printing *p)
{
	print_role(p, (uint32_t)printing_u64(p, ROLE));
	printing_str(p, " root ");
	seq_decimal(p->out, printing_u64(p, ROOT_COUNT));
	printing_str(p, printing_u64(p, UNSYNC) ? " unsync" : " sync");
	return true;
}

bool print_mmu_get_page(const struct printing *p)
{
	printing_str(p, printing_u64(p, CREATED) ? "new sp gfn " : "existing sp gfn ");
	seq_hex(p->out, printing_u64(p, GFN));
	seq_char(p->out, ' ');
	return print_mmu_page(p);
}
