-- Hottest functions: where the CPU was, without callees.
select function, sum(w)::bigint as weight, sum(n)::bigint as samples
from (select stack_id, sum(weight) as w, sum(samples) as n from samples where event = $event group by stack_id)
join stacks using (stack_id)
join frames on frame_id = frames[1]
where function <> ''
group by function order by weight desc, function limit 20
