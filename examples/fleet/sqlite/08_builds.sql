-- Which builds run where.
select date as day, service, build_id, count(distinct host) as hosts
from samples where build_id <> ''
group by date, service, build_id order by day, service, build_id
