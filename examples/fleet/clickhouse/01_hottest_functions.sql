-- Hottest functions: where the CPU was, without callees.
select function, sum(w) as weight, sum(n) as samples
from (
    select frame_id, w, n
    from (select stack_id, sum(weight) as w, sum(samples) as n from samples where event = $event group by stack_id)
    any inner join (select stack_id, frames[1] as frame_id from stacks) using stack_id
)
any inner join (select frame_id, max(function) as function from frames group by frame_id) using frame_id
where function <> ''
group by function order by weight desc, function limit 20
