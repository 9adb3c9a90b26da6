-- Quality by host: samples lost by the recorder, stacks cut, functions without a name; when a host last sent.
select host, max(kernel) as kernel, any_value(n)::bigint as samples, sum(lost)::bigint as lost,
       sum(truncated_stacks)::bigint as truncated, sum(unresolved)::bigint as unresolved, max(end_ns) // 1000000000 as last_s
from runs join (select host, sum(samples) as n from samples group by host) using (host)
group by host order by host
