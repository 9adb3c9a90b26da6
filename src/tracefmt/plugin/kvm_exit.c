/* SPDX-License-Identifier: MIT */
/*
 * kvm_exit.c - a guest is entered and left: "reason EPT_VIOLATION rip 0xffffffff81234567 info 181 22"
 *
 * Numbers of reasons: Intel SDM volume 3, appendix C; AMD APM volume 2, appendix C.
 */
#include "base/bytes.h"
#include "tracefmt/field.h"
#include "tracefmt/plugin/plugins.h"

enum { ISA_VMX = 1, ISA_SVM = 2 };

struct reason {
	uint32_t number;
	const char *name;
};

static const struct reason vmx[] = {
	{ 0, "EXCEPTION_NMI" }, { 1, "EXTERNAL_INTERRUPT" }, { 2, "TRIPLE_FAULT" }, { 7, "PENDING_INTERRUPT" },
	{ 8, "NMI_WINDOW" }, { 9, "TASK_SWITCH" }, { 0xa, "CPUID" }, { 0xc, "HLT" }, { 0xd, "INVD" },
	{ 0xe, "INVLPG" }, { 0xf, "RDPMC" }, { 0x10, "RDTSC" }, { 0x12, "VMCALL" }, { 0x13, "VMCLEAR" },
	{ 0x14, "VMLAUNCH" }, { 0x15, "VMPTRLD" }, { 0x16, "VMPTRST" }, { 0x17, "VMREAD" }, { 0x18, "VMRESUME" },
	{ 0x19, "VMWRITE" }, { 0x1a, "VMOFF" }, { 0x1b, "VMON" }, { 0x1c, "CR_ACCESS" }, { 0x1d, "DR_ACCESS" },
	{ 0x1e, "IO_INSTRUCTION" }, { 0x1f, "MSR_READ" }, { 0x20, "MSR_WRITE" }, { 0x24, "MWAIT_INSTRUCTION" },
	{ 0x27, "MONITOR_INSTRUCTION" }, { 0x28, "PAUSE_INSTRUCTION" }, { 0x29, "MCE_DURING_VMENTRY" },
	{ 0x2b, "TPR_BELOW_THRESHOLD" }, { 0x2c, "APIC_ACCESS" }, { 0x2d, "EOI_INDUCED" }, { 0x30, "EPT_VIOLATION" },
	{ 0x31, "EPT_MISCONFIG" }, { 0x32, "INVEPT" }, { 0x34, "PREEMPTION_TIMER" }, { 0x36, "WBINVD" },
	{ 0x37, "XSETBV" }, { 0x38, "APIC_WRITE" }, { 0x3a, "INVPCID" }, { 0x3e, "PML_FULL" }, { 0x3f, "XSAVES" },
	{ 0x40, "XRSTORS" },
};

static const struct reason svm[] = {
	{ 0, "EXIT_READ_CR0" }, { 3, "EXIT_READ_CR3" }, { 4, "EXIT_READ_CR4" }, { 8, "EXIT_READ_CR8" },
	{ 0x10, "EXIT_WRITE_CR0" }, { 0x13, "EXIT_WRITE_CR3" }, { 0x14, "EXIT_WRITE_CR4" }, { 0x18, "EXIT_WRITE_CR8" },
	{ 0x20, "EXIT_READ_DR0" }, { 0x21, "EXIT_READ_DR1" }, { 0x22, "EXIT_READ_DR2" }, { 0x23, "EXIT_READ_DR3" },
	{ 0x24, "EXIT_READ_DR4" }, { 0x25, "EXIT_READ_DR5" }, { 0x26, "EXIT_READ_DR6" }, { 0x27, "EXIT_READ_DR7" },
	{ 0x30, "EXIT_WRITE_DR0" }, { 0x31, "EXIT_WRITE_DR1" }, { 0x32, "EXIT_WRITE_DR2" }, { 0x33, "EXIT_WRITE_DR3" },
	{ 0x34, "EXIT_WRITE_DR4" }, { 0x35, "EXIT_WRITE_DR5" }, { 0x36, "EXIT_WRITE_DR6" }, { 0x37, "EXIT_WRITE_DR7" },
	{ 0x40, "EXIT_EXCP_DE" }, { 0x41, "EXIT_EXCP_DB" }, { 0x43, "EXIT_EXCP_BP" }, { 0x44, "EXIT_EXCP_OF" },
	{ 0x45, "EXIT_EXCP_BR" }, { 0x46, "EXIT_EXCP_UD" }, { 0x47, "EXIT_EXCP_NM" }, { 0x48, "EXIT_EXCP_DF" },
	{ 0x4a, "EXIT_EXCP_TS" }, { 0x4b, "EXIT_EXCP_NP" }, { 0x4c, "EXIT_EXCP_SS" }, { 0x4d, "EXIT_EXCP_GP" },
	{ 0x4e, "EXIT_EXCP_PF" }, { 0x50, "EXIT_EXCP_MF" }, { 0x51, "EXIT_EXCP_AC" }, { 0x52, "EXIT_EXCP_MC" },
	{ 0x53, "EXIT_EXCP_XF" }, { 0x60, "EXIT_INTR" }, { 0x61, "EXIT_NMI" }, { 0x62, "EXIT_SMI" },
	{ 0x63, "EXIT_INIT" }, { 0x64, "EXIT_VINTR" }, { 0x65, "EXIT_CR0_SEL_WRITE" }, { 0x66, "EXIT_IDTR_READ" },
	{ 0x67, "EXIT_GDTR_READ" }, { 0x68, "EXIT_LDTR_READ" }, { 0x69, "EXIT_TR_READ" }, { 0x6a, "EXIT_IDTR_WRITE" },
	{ 0x6b, "EXIT_GDTR_WRITE" }, { 0x6c, "EXIT_LDTR_WRITE" }, { 0x6d, "EXIT_TR_WRITE" }, { 0x6e, "EXIT_RDTSC" },
	{ 0x6f, "EXIT_RDPMC" }, { 0x70, "EXIT_PUSHF" }, { 0x71, "EXIT_POPF" }, { 0x72, "EXIT_CPUID" },
	{ 0x73, "EXIT_RSM" }, { 0x74, "EXIT_IRET" }, { 0x75, "EXIT_SWINT" }, { 0x76, "EXIT_INVD" },
	{ 0x77, "EXIT_PAUSE" }, { 0x78, "EXIT_HLT" }, { 0x79, "EXIT_INVLPG" }, { 0x7a, "EXIT_INVLPGA" },
	{ 0x7b, "EXIT_IOIO" }, { 0x7c, "EXIT_MSR" }, { 0x7d, "EXIT_TASK_SWITCH" }, { 0x7e, "EXIT_FERR_FREEZE" },
	{ 0x7f, "EXIT_SHUTDOWN" }, { 0x80, "EXIT_VMRUN" }, { 0x81, "EXIT_VMMCALL" }, { 0x82, "EXIT_VMLOAD" },
	{ 0x83, "EXIT_VMSAVE" }, { 0x84, "EXIT_STGI" }, { 0x85, "EXIT_CLGI" }, { 0x86, "EXIT_SKINIT" },
	{ 0x87, "EXIT_RDTSCP" }, { 0x88, "EXIT_ICEBP" }, { 0x89, "EXIT_WBINVD" }, { 0x8a, "EXIT_MONITOR" },
	{ 0x8b, "EXIT_MWAIT" }, { 0x8c, "EXIT_MWAIT_COND" }, { 0x8d, "EXIT_XSETBV" }, { 0x400, "EXIT_NPF" },
	{ 0x401, "EXIT_AVIC_INCOMPLETE_IPI" }, { 0x402, "EXIT_AVIC_UNACCELERATED_ACCESS" }, { 0xffffffff, "EXIT_ERR" },
};

static const char *find(const struct reason *all, size_t n, uint64_t number)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].number == number)
			return all[i].name;
	return NULL;
}

static void print_reason(const struct printing *p, uint64_t isa, uint64_t number)
{
	const char *name = isa == ISA_VMX ? find(vmx, ARRAY_SIZE(vmx), number) :
			   isa == ISA_SVM ? find(svm, ARRAY_SIZE(svm), number) : "UNKNOWN-ISA";

	printing_str(p, "reason ");
	if (name) {
		printing_str(p, name);
		return;
	}
	printing_str(p, "UNKNOWN (");
	seq_decimal(p->out, number);
	seq_char(p->out, ')');
}

static void print_hex(const struct printing *p, const char *name, unsigned i)
{
	printing_str(p, name);
	seq_hex(p->out, printing_u64(p, i));
}

enum { REASON, RIP, ISA, INFO1, INFO2 };

bool print_kvm_exit(const struct printing *p)
{
	print_reason(p, printing_has(p, ISA) ? printing_u64(p, ISA) : ISA_VMX, printing_u64(p, REASON));
	print_hex(p, " rip 0x", RIP);
	if (printing_has(p, INFO1) && printing_has(p, INFO2)) {
		print_hex(p, " info ", INFO1);
		print_hex(p, " ", INFO2);
	}
	return true;
}

enum { EXIT_CODE, EXIT_ISA, EXIT_INFO1, EXIT_INFO2, INT_INFO, INT_INFO_ERR };

/* An exit that is passed on to the hypervisor in the guest. */
bool print_kvm_inject(const struct printing *p)
{
	print_reason(p, printing_u64(p, EXIT_ISA), printing_u64(p, EXIT_CODE));
	print_hex(p, " info1 ", EXIT_INFO1);
	print_hex(p, " info2 ", EXIT_INFO2);
	print_hex(p, " int_info ", INT_INFO);
	print_hex(p, " int_info_err ", INT_INFO_ERR);
	return true;
}

enum { VCPU, ENTRY_RIP };

bool print_kvm_entry(const struct printing *p)
{
	printing_str(p, " vcpu ");
	seq_decimal(p->out, printing_u64(p, VCPU));
	if (printing_has(p, ENTRY_RIP))
		print_hex(p, " rip 0x", ENTRY_RIP);
	return true;
}

enum { INSN_RIP, CS_BASE, LENGTH, FAILED, INSN };

/* The bytes: what they mean would take a disassembler. */
bool print_kvm_emulate_insn(const struct printing *p)
{
	uint64_t n = printing_u64(p, LENGTH);
	struct sonde_bytes b;

	seq_hex(p->out, printing_u64(p, CS_BASE));
	print_hex(p, ":", INSN_RIP);
	seq_put(p->out, ": ", 2);
	if (!tracefmt_bytes(p->event, p->fields[INSN], p->raw, &b))
		return true;
	for (uint64_t i = 0; i < n && i < b.len; i++) {
		if (i)
			seq_char(p->out, ' ');
		seq_byte(p->out, b.p[i]);
	}
	if (printing_u64(p, FAILED))
		printing_str(p, " FAIL");
	return true;
}
