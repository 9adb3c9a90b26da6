-- Hosts on which a service needs more than on others: against the median (of an even number, the lower middle).
select host, weight, median
from (
    select 1 as one, host, sum(weight) as weight
    from samples where event = $event and service = $service group by host
) as hosts
all inner join (
    select 1 as one, arrayElement(arraySort(groupArray(w)), intDiv(count() + 1, 2)) as median
    from (select sum(weight) as w from samples where event = $event and service = $service group by host)
) as medians using one
order by weight desc, host
