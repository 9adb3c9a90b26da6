-- Cores per service, in thousandths: of an event whose weight is nanoseconds (cpu-clock, task-clock).
select service, count(distinct host) as hosts, sum(weight) / (1000000 * $window * windows) as millicores
from samples, (select count(distinct time_s) as windows from samples where event = $event)
where event = $event
group by service order by millicores desc, service
