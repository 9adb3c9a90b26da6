-- Which builds run where.
select toString(date) as day, service, build_id, uniqExact(host) as hosts
from samples where build_id <> ''
group by date, service, build_id order by day, service, build_id
