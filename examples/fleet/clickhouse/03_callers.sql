-- Who calls a function: its direct callers, weighted by the stacks in which they stand above it.
select caller, sum(w) as weight
from (
    select stack_id, caller
    from (
        select stack_id, frame_id
        from (
            select stack_id, pair[1] as callee_id, pair[2] as frame_id
            from (
                select stack_id,
                       arrayJoin(arrayMap((a, b) -> [a, b], arraySlice(frames, 1, length(frames) - 1),
                                          arraySlice(frames, 2))) as pair
                from stacks where length(frames) > 1
            )
        ) as pairs
        all inner join (select distinct frame_id as callee_id from frames where function = $function) as callees
            using callee_id
    ) as callers
    all inner join (select frame_id, max(function) as caller from frames group by frame_id) as named using frame_id
    group by stack_id, caller
) as on_stack
all inner join (select stack_id, sum(weight) as w from samples where event = $event group by stack_id) as sums
    using stack_id
group by caller order by weight desc, caller limit 20
