-- What a release changed: the share of each function (without callees) in two builds of a program, in millionths.
select function, old_samples, new_samples,
       toInt64(round(1000000 * (new_weight / new_total - old_weight / old_total))) as change
from (
    select 1 as one, function, sum(n * (build = $old)) as old_samples, sum(n * (build = $new)) as new_samples,
           sum(w * (build = $old)) as old_weight, sum(w * (build = $new)) as new_weight
    from (
        select frame_id, build, w, n
        from (
            select stack_id, build_id as build, sum(weight) as w, sum(samples) as n
            from samples where event = $event and build_id in ($old, $new) group by stack_id, build_id
        ) as sums
        all inner join (select stack_id, any(frames)[1] as frame_id from stacks group by stack_id) as inner_frames
            using stack_id
    ) as by_frame
    all inner join (select frame_id, max(function) as function from frames group by frame_id) as named using frame_id
    group by function
) as functions
all inner join (
    select 1 as one, sumIf(weight, build_id = $old) as old_total, sumIf(weight, build_id = $new) as new_total
    from samples where event = $event
) as totals using one
order by abs(change) desc, function limit 20
