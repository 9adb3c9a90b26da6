-- The tax: the share of time below the kernel, and below one library, of each service.
select service, sum(w) as weight, sum(w * in_kernel) as kernel, sum(w * in_module) as module
from (select service, stack_id, sum(weight) as w from samples where event = $event group by service, stack_id) as sums
all inner join (
    select stack_id, max(module = '[kernel.kallsyms]') as in_kernel, max(module = $module) as in_module
    from (select stack_id, arrayJoin(frames) as frame_id from stacks) as parts
    all inner join (select frame_id, any(module) as module from frames group by frame_id) as named using frame_id
    group by stack_id
) as below using stack_id
group by service order by weight desc, service
