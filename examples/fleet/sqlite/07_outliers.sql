-- Hosts on which a service needs more than on others: against the median (of an even number, the lower middle).
with by_host as (select host, sum(weight) as weight
                 from samples where event = $event and service = $service group by host)
select host, weight,
       (select weight from by_host order by weight limit 1 offset (select (count(*) - 1) / 2 from by_host)) as median
from by_host order by weight desc, host
