/* SPDX-License-Identifier: MIT */
/* schema.h - tables and views of the database of a trace: docs/events-sql.md */
#ifndef EXPORT_SQLITE_SCHEMA_H
#define EXPORT_SQLITE_SCHEMA_H

#define SQLITE_SCHEMA_TABLES \
	"pragma application_id = 0x736f6e64;" \
	"pragma user_version = 1;" \
	"create table meta(key text primary key, value);" \
	"create table input(id integer primary key, path text, format text, host text, offset_ns integer," \
	" aligned text);" \
	"create table source(id integer primary key, name text, type integer, config integer, unit text," \
	" period integer, buffer text, input integer references input);" \
	"create table module(id integer primary key, path text, build_id text, kind text);" \
	"create table thread(id integer primary key, pid integer, tid integer, comm text, start_ns integer," \
	" end_ns integer, machine integer, host integer references input);" \
	"create table frame(id integer primary key, module integer references module, function text, file text," \
	" line integer, address integer, inlined integer);" \
	"create table stack(id integer primary key, parent integer references stack, frame integer references frame," \
	" depth integer);" \
	"create table sample(id integer primary key, t integer, cpu integer, thread integer references thread," \
	" source integer references source, weight integer, frame integer references frame," \
	" stack integer references stack, ip integer, addr integer);" \
	"create table event(id integer primary key references sample, fields text);" \
	"create table sched(t integer, dur integer, cpu integer, thread integer references thread, end_state text," \
	" prio integer, exact integer);" \
	"create table record(t integer, kind text, cpu integer, thread integer references thread, fields text);" \
	"create table loss(t integer, t2 integer, cpu integer, source integer references source, n integer," \
	" kind text, what text);"

#define SQLITE_SCHEMA_VIEWS \
	"create view v_sample as select s.id, s.t, s.cpu, t.pid, t.tid, t.comm, e.name as event, s.weight," \
	" f.function, m.path as module, s.ip, s.stack from sample s left join thread t on t.id = s.thread" \
	" left join source e on e.id = s.source left join frame f on f.id = s.frame" \
	" left join module m on m.id = f.module;" \
	"create view v_self as select f.function, m.path as module, e.name as event, count(*) as samples," \
	" sum(s.weight) as weight from sample s left join frame f on f.id = s.frame" \
	" left join module m on m.id = f.module left join source e on e.id = s.source group by 1, 2, 3;" \
	"create view v_stack as with recursive walk(stack, node) as (select id, id from stack" \
	" union all select w.stack, s.parent from walk w join stack s on s.id = w.node where s.parent is not null)" \
	" select w.stack, s.depth, f.function, m.path as module, f.file, f.line, f.inlined from walk w" \
	" join stack s on s.id = w.node join frame f on f.id = s.frame left join module m on m.id = f.module;" \
	"create view v_total as select v.function, v.module, e.name as event, sum(s.samples) as samples," \
	" sum(s.weight) as weight from (select distinct stack, function, module from v_stack) v" \
	" join (select stack, source, count(*) as samples, sum(weight) as weight from sample group by 1, 2) s" \
	" on s.stack = v.stack left join source e on e.id = s.source group by 1, 2, 3;" \
	"create view v_folded as with recursive fold(stack, text) as (select s.id, coalesce(f.function, '[unknown]')" \
	" from stack s join frame f on f.id = s.frame where s.parent is null union all" \
	" select s.id, o.text || ';' || coalesce(f.function, '[unknown]') from fold o" \
	" join stack s on s.parent = o.stack join frame f on f.id = s.frame)" \
	" select t.comm || ';' || o.text as stack, count(*) as samples," \
	" sum(s.weight) as weight from sample s join fold o on o.stack = s.stack" \
	" left join thread t on t.id = s.thread group by 1;" \
	"create view v_sched as select s.t, s.dur, s.cpu, t.pid, t.tid, t.comm, s.end_state, s.prio," \
	" s.exact from sched s" \
	" left join thread t on t.id = s.thread;"

#endif
