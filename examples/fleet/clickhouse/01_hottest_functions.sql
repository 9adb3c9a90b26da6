-- Hottest functions: where the CPU was, without callees.
select function, sum(w) as weight, sum(n) as samples
from (
    select frame_id, w, n
    from (
        select stack_id, sum(weight) as w, sum(samples) as n from samples where event = $event group by stack_id
    ) as sums
    all inner join (select stack_id, any(frames)[1] as frame_id from stacks group by stack_id) as inner_frames
        using stack_id
) as by_frame
all inner join (select frame_id, max(function) as function from frames group by frame_id) as named using frame_id
where function <> ''
group by function order by weight desc, function limit 20
