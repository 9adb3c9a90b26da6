-- What a release changed: the share of each function (without callees) in two builds of a program, in millionths.
select function, old_samples, new_samples,
       round(1e6 * (new_weight / new_total - old_weight / old_total))::bigint as change
from (select function,
             sum(if(build = $old, n, 0))::bigint as old_samples, sum(if(build = $new, n, 0))::bigint as new_samples,
             sum(if(build = $old, w, 0))::bigint as old_weight, sum(if(build = $new, w, 0))::bigint as new_weight
      from (select stack_id, build_id as build, sum(weight) as w, sum(samples) as n
            from samples where event = $event and build_id in ($old, $new) group by stack_id, build_id)
      join stacks using (stack_id)
      join frames on frame_id = frames[1]
      group by function),
     (select sum(if(build_id = $old, weight, 0))::bigint as old_total,
             sum(if(build_id = $new, weight, 0))::bigint as new_total
      from samples where event = $event)
order by abs(change) desc, function limit 20
