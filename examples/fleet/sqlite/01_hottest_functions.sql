-- Hottest functions: where the CPU was, without callees.
select function, sum(w) as weight, sum(n) as samples
from (select stack_id, sum(weight) as w, sum(samples) as n from samples where event = $event group by stack_id)
join stacks using (stack_id)
join frames using (frame_id)
where position = 1 and function <> ''
group by function order by weight desc, function limit 20
