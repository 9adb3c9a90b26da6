-- The tax: the share of time below the kernel, and below one library, of each service.
select service, sum(w)::bigint as weight,
       sum(if(list_has_any(frames, (select list(frame_id) from frames where module = '[kernel.kallsyms]')), w, 0))::bigint
           as kernel,
       sum(if(list_has_any(frames, (select list(frame_id) from frames where module = $module)), w, 0))::bigint as module
from (select service, stack_id, sum(weight) as w from samples where event = $event group by service, stack_id)
join stacks using (stack_id)
group by service order by weight desc, service
