-- What a release changed: the share of each function (without callees) in two builds of a program, in millionths.
select function, old_samples, new_samples,
       cast(round(1e6 * (1.0 * new_weight / new_total - 1.0 * old_weight / old_total)) as integer) as change
from (select function,
             sum(iif(build = $old, n, 0)) as old_samples, sum(iif(build = $new, n, 0)) as new_samples,
             sum(iif(build = $old, w, 0)) as old_weight, sum(iif(build = $new, w, 0)) as new_weight
      from (select stack_id, build_id as build, sum(weight) as w, sum(samples) as n
            from samples where event = $event and build_id in ($old, $new) group by stack_id, build_id)
      join stacks using (stack_id)
      join frames using (frame_id)
      where position = 1
      group by function),
     (select sum(iif(build_id = $old, weight, 0)) as old_total, sum(iif(build_id = $new, weight, 0)) as new_total
      from samples where event = $event)
order by abs(change) desc, function limit 20
