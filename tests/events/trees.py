#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trees.py DIR - makes four small machines: DIR/NAME/sys and DIR/NAME/tracing of intel, amd, arm and hybrid

Each has the files of sysfs and tracefs that decide what an event string means, and no more. Two CPUs are online in
each, as the attrs in attrs.txt beside this file were recorded on two CPUs.
"""
import os
import sys

X86 = {
    'format/event': 'config:0-7', 'format/umask': 'config:8-15', 'format/edge': 'config:18', 'format/pc': 'config:19',
    'format/any': 'config:21', 'format/inv': 'config:23', 'format/cmask': 'config:24-31',
}
INTEL_CPU = X86 | {
    'type': '4', 'format/offcore_rsp': 'config1:0-63', 'format/ldlat': 'config1:0-15',
    'format/frontend': 'config1:0-23', 'format/in_tx': 'config:32', 'format/in_tx_cp': 'config:33',
    'events/mem-loads': 'event=0xcd,umask=0x1,ldlat=3', 'events/mem-stores': 'event=0xd0,umask=0x82',
    'events/slots': 'event=0x00,umask=0x4', 'events/topdown-retiring': 'event=0x00,umask=0x80',
    'events/tx-start': 'event=0xc9,umask=0x1', 'events/cycles-ct': 'event=0x3c,in_tx=1,in_tx_cp=1',
    'events/el-start': 'event=0xc8,umask=0x1,edge', 'caps/max_precise': '3', 'caps/branches': '32', 'rdpmc': '1',
}
SOFTWARE = {'software': {'type': '1'}, 'tracepoint': {'type': '2'}, 'breakpoint': {'type': '5'}}

def imc(number):
    return {
        'type': str(20 + number), 'cpumask': '0', 'format/event': 'config:0-7', 'format/umask': 'config:8-15',
        'format/edge': 'config:18', 'format/thresh': 'config:24-31', 'events/clockticks': 'event=0x0',
        'events/cas_count_read': 'event=0x4,umask=0x3', 'events/cas_count_read.unit': 'MiB',
        'events/cas_count_read.scale': '6.103515625e-5', 'events/cas_count_write': 'event=0x4,umask=0xc',
        'events/cas_count_write.unit': 'MiB', 'events/cas_count_write.scale': '6.103515625e-5',
    }

POWER = {
    'type': '12', 'cpumask': '0', 'format/event': 'config:0-7', 'events/energy-pkg': 'event=0x02',
    'events/energy-pkg.unit': 'Joules', 'events/energy-pkg.scale': '2.3283064365386962890625e-10',
    'events/energy-ram': 'event=0x03', 'events/energy-ram.unit': 'Joules', 'events/energy-ram.scale': '1.5e-5',
    'events/energy-ram.per-pkg': '1',
}
MSR = {
    'type': '11', 'format/event': 'config:0-63', 'events/tsc': 'event=0x00', 'events/aperf': 'event=0x01',
    'events/cpu_thermal_margin': 'event=0x06', 'events/cpu_thermal_margin.unit': 'C',
    'events/cpu_thermal_margin.snapshot': '1',
}
TREES = {
    'intel': SOFTWARE | {
        'cpu': INTEL_CPU, 'uncore_imc_0': imc(0), 'uncore_imc_1': imc(1), 'power': POWER, 'msr': MSR,
        'uncore_cbox_0': {'type': '30', 'cpumask': '0', 'format/event': 'config:0-7', 'format/umask': 'config:8-15'},
        'uncore_cbox_1': {'type': '31', 'cpumask': '0', 'format/event': 'config:0-7', 'format/umask': 'config:8-15'},
        'intel_pt': {
            'type': '9', 'format/pt': 'config:0', 'format/cyc': 'config:1', 'format/mtc': 'config:9',
            'format/tsc': 'config:10', 'format/noretcomp': 'config:11', 'format/branch': 'config:13',
            'format/mtc_period': 'config:14-17', 'format/cyc_thresh': 'config:19-22',
            'format/psb_period': 'config:24-27', 'nr_addr_filters': '2', 'caps/psb_cyc': '1',
        },
        'intel_bts': {'type': '17'},
    },
    'amd': SOFTWARE | {
        'cpu': X86 | {
            'type': '4', 'format/event': 'config:0-7,32-35', 'events/cpu-cycles': 'event=0x76',
            'events/stalled-cycles-frontend': 'event=0xa9', 'events/branch-instructions': 'event=0xc2',
        },
        'ibs_op': {
            'type': '10', 'format/cnt_ctl': 'config:19', 'format/rand_en': 'config:57', 'format/swfilt': 'config2:0',
            'format/l3missonly': 'config:16', 'format/ldlat': 'config1:0-11',
        },
        'amd_l3': {
            'type': '14', 'cpumask': '0', 'format/event': 'config:0-7', 'format/umask': 'config:8-15',
            'format/slicemask': 'config:48-51', 'format/threadmask': 'config:56-63',
        },
        'amd_df': {
            'type': '13', 'cpumask': '0', 'format/event': 'config:0-7,32-35,59-60', 'format/umask': 'config:8-15',
        },
        'power': POWER,
    },
    'arm': SOFTWARE | {
        'armv8_pmuv3_0': {
            'type': '8', 'cpus': '0-1', 'format/event': 'config:0-15', 'format/long': 'config1:0',
            'format/rdpmc': 'config1:1', 'events/cpu_cycles': 'event=0x0011', 'events/inst_retired': 'event=0x0008',
            'events/l1d_cache': 'event=0x0004', 'events/br_mis_pred': 'event=0x0010', 'caps/slots': '0x00000008',
        },
        'arm_spe_0': {
            'type': '9', 'cpumask': '0-1', 'format/ts_enable': 'config:0', 'format/pa_enable': 'config:1',
            'format/pct_enable': 'config:2', 'format/jitter': 'config:16', 'format/branch_filter': 'config:32',
            'format/load_filter': 'config:33', 'format/store_filter': 'config:34',
            'format/event_filter': 'config1:0-63', 'format/min_latency': 'config2:0-11',
            'format/inv_event_filter': 'config3:0-63', 'caps/cnt_width': '12',
        },
        'cs_etm': {
            'type': '18', 'format/branch_broadcast': 'config:8', 'format/cycacc': 'config:12',
            'format/contextid': 'config:14', 'format/contextid1': 'config:14', 'format/contextid2': 'config:15',
            'format/timestamp': 'config:28', 'format/retstack': 'config:29', 'format/sinkid': 'config2:0-31',
            'sinks/tmc_etr0': '0x8c824d25',
        },
        'dmc620_10008c000': {
            'type': '15', 'cpumask': '0', 'format/event': 'config:0-5', 'format/clkdiv2': 'config:9',
            'events/clkdiv2_rd': 'event=0x13,clkdiv2=0x1', 'events/asks': 'event=?,clkdiv2',
        },
        'dmc620_100090000': {
            'type': '16', 'cpumask': '0', 'format/event': 'config:0-5', 'format/clkdiv2': 'config:9',
            'events/clkdiv2_rd': 'event=0x13,clkdiv2=0x1',
        },
    },
    'hybrid': SOFTWARE | {
        'cpu_core': INTEL_CPU | {'cpus': '0'},
        'cpu_atom': X86 | {
            'type': '10', 'cpus': '1', 'format/ldlat': 'config1:0-15', 'events/mem-loads':
            'event=0xd0,umask=0x5,ldlat=3', 'events/mem-stores': 'event=0xd0,umask=0x6',
            'events/topdown-fe-bound': 'event=0x71,umask=0x0',
        },
        'uncore_imc_free_running_0': {
            'type': '24', 'cpumask': '0', 'format/event': 'config:0-7', 'format/umask': 'config:8-15',
            'events/data_read': 'event=0xff,umask=0x20', 'events/data_read.unit': 'MiB',
            'events/data_read.scale': '6.103515625e-5',
        },
    },
}
TRACEPOINTS = {
    'sched:sched_switch': 316, 'sched:sched_wakeup': 318, 'sched:sched_wakeup_new': 317, 'irq:softirq_entry': 150,
    'syscalls:sys_enter_openat': 700, 'syscalls:sys_exit_openat': 699,
}


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='ascii') as file:
        file.write(text + '\n')


def main(root):
    for tree, pmus in TREES.items():
        sysfs = f'{root}/{tree}/sys'
        write(f'{sysfs}/devices/system/cpu/online', '0-1')
        write(f'{sysfs}/devices/system/cpu/possible', '0-1')
        for pmu, files in pmus.items():
            for name, text in files.items():
                write(f'{sysfs}/bus/event_source/devices/{pmu}/{name}', text)
        for name, number in TRACEPOINTS.items():
            where = f'{root}/{tree}/tracing/events/{name.replace(":", "/")}'
            write(f'{where}/id', str(number))
            write(f'{where}/format', f'name: {name.split(":")[1]}\nID: {number}\nformat:\n'
                  '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
                  '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n'
                  '\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: "pid=%d", REC->pid')
        write(f'{root}/{tree}/tracing/events/header_page', 'field: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;')
        write(f'{root}/{tree}/tracing/events/sched/enable', '0')


if __name__ == '__main__':
    main(sys.argv[1])
