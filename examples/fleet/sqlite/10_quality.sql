-- Quality by host: samples lost by the recorder, stacks cut, functions without a name; when a host last sent.
select host, kernel, samples, lost, truncated, unresolved, last_s
from (select host, max(kernel) as kernel, sum(lost) as lost, sum(truncated_stacks) as truncated,
             sum(unresolved) as unresolved, max(end_ns) / 1000000000 as last_s
      from runs group by host)
join (select host, sum(samples) as samples from samples group by host) using (host)
order by host
