-- Who calls a function: its direct callers, weighted by the stacks in which they stand above it.
select caller, sum(w)::bigint as weight
from (select distinct stack_id, above.function as caller
      from (select stack_id, unnest(frames[:-2]) as callee_id, unnest(frames[2:]) as caller_id
            from stacks where len(frames) > 1)
      join frames as callee on callee.frame_id = callee_id
      join frames as above on above.frame_id = caller_id
      where callee.function = $function)
join (select stack_id, sum(weight) as w from samples where event = $event group by stack_id) using (stack_id)
group by caller order by weight desc, caller limit 20
