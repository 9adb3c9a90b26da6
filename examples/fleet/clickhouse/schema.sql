-- The tables of docs/fleet.md on each node of a cluster "fleet": one of this node, one of all nodes.
-- Statements end with ";" at the end of a line. ClickHouse 18.16 and later.
CREATE TABLE IF NOT EXISTS samples_here (
    date Date, host String, time_s Int64, service String, comm String, event String, build_id String,
    cpu_mode Int32, stack_id Int64, samples Int64, weight Int64, run_id Int64
) ENGINE = MergeTree PARTITION BY date ORDER BY (service, time_s, stack_id);
CREATE TABLE IF NOT EXISTS stacks_here (
    date Date, host String, stack_id Int64, frames Array(Int64), depth Int32
) ENGINE = ReplacingMergeTree PARTITION BY date ORDER BY stack_id;
CREATE TABLE IF NOT EXISTS frames_here (
    date Date, host String, frame_id Int64, function String, file String, module String, line Int32,
    address Int64, build_id String, inlined Int32
) ENGINE = ReplacingMergeTree PARTITION BY date ORDER BY frame_id;
CREATE TABLE IF NOT EXISTS modules_here (
    date Date, host String, build_id String, path String, kind String, symbolised Int32
) ENGINE = ReplacingMergeTree PARTITION BY date ORDER BY (build_id, path);
CREATE TABLE IF NOT EXISTS runs_here (
    date Date, host String, run_id Int64, start_ns Int64, end_ns Int64, tool String, kernel String,
    cpu_model String, cpus Int32, event String, period Int64, lost Int64, truncated_stacks Int64,
    unresolved Int64, cmdline String
) ENGINE = ReplacingMergeTree PARTITION BY date ORDER BY (run_id, event);
CREATE TABLE IF NOT EXISTS samples AS samples_here
    ENGINE = Distributed(fleet, currentDatabase(), samples_here, cityHash64(host));
CREATE TABLE IF NOT EXISTS stacks AS stacks_here
    ENGINE = Distributed(fleet, currentDatabase(), stacks_here, cityHash64(host));
CREATE TABLE IF NOT EXISTS frames AS frames_here
    ENGINE = Distributed(fleet, currentDatabase(), frames_here, cityHash64(host));
CREATE TABLE IF NOT EXISTS modules AS modules_here
    ENGINE = Distributed(fleet, currentDatabase(), modules_here, cityHash64(host));
CREATE TABLE IF NOT EXISTS runs AS runs_here
    ENGINE = Distributed(fleet, currentDatabase(), runs_here, cityHash64(host));
