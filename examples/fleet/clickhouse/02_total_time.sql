-- Total time of functions: with what they call. A function counts once for each stack, however often it is on it.
select function, sum(w) as weight
from (
    select stack_id, function
    from (select stack_id, arrayJoin(frames) as frame_id from stacks) as parts
    all inner join (select frame_id, max(function) as function from frames group by frame_id) as named using frame_id
    group by stack_id, function
) as on_stack
all inner join (select stack_id, sum(weight) as w from samples where event = $event group by stack_id) as sums
    using stack_id
where function <> ''
group by function order by weight desc, function limit 20
