-- Cores per service, in thousandths: of an event whose weight is nanoseconds (cpu-clock, task-clock).
select service, hosts, intDiv(w, 1000000 * $window * windows) as millicores
from (
    select 1 as one, service, uniqExact(host) as hosts, sum(weight) as w
    from samples where event = $event group by service
) as services
all inner join (
    select 1 as one, toInt64(uniqExact(time_s)) as windows from samples where event = $event
) as times using one
order by millicores desc, service
