-- Total time of functions: with what they call. A function counts once for each stack, however often it is on it.
select function, sum(w) as weight
from (select distinct stack_id, function from stacks join frames using (frame_id))
join (select stack_id, sum(weight) as w from samples where event = $event group by stack_id) using (stack_id)
where function <> ''
group by function order by weight desc, function limit 20
