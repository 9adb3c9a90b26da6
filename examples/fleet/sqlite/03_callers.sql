-- Who calls a function: its direct callers, weighted by the stacks in which they stand above it.
select caller, sum(w) as weight
from (select distinct stack_id, caller.function as caller
      from stacks as inside
      join stacks as outside using (stack_id)
      join frames as callee on callee.frame_id = inside.frame_id
      join frames as caller on caller.frame_id = outside.frame_id
      where outside.position = inside.position + 1 and callee.function = $function)
join (select stack_id, sum(weight) as w from samples where event = $event group by stack_id) using (stack_id)
group by caller order by weight desc, caller limit 20
