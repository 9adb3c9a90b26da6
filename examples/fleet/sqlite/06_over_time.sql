-- A service over time: its weight in each window.
select time_s, sum(weight) as weight, sum(samples) as samples
from samples where event = $event and service = $service
group by time_s order by time_s
