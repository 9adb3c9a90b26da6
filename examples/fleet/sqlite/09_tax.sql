-- The tax: the share of time below the kernel, and below one library, of each service.
select service, sum(w) as weight, sum(w * in_kernel) as kernel, sum(w * in_module) as module
from (select service, stack_id, sum(weight) as w from samples where event = $event group by service, stack_id)
join (select stack_id, max(module = '[kernel.kallsyms]') as in_kernel, max(module = $module) as in_module
      from stacks join frames using (frame_id) group by stack_id) using (stack_id)
group by service order by weight desc, service
