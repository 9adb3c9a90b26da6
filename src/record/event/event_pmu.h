/* SPDX-License-Identifier: MIT */
/* event_pmu.h - events of the PMUs that sysfs describes: pmu/terms/, named events, generic events of several CPUs */
#ifndef RECORD_EVENT_EVENT_PMU_H
#define RECORD_EVENT_EVENT_PMU_H

#include "record/event/event_name.h"
#include "record/event/event_scan.h"

/* NAME/terms/ with s->p at the slash: one event on each PMU that the name, or the glob, stands for. */
int event_pmu(struct event_scan *s, const char *start, const char *name);

/*
 * Events that PMUs name so, one on each; modifiers or further terms are at s->p. @cores_only: look at core PMUs only.
 * 1, 0 if no PMU has one, or negative.
 */
int event_pmu_alias(struct event_scan *s, const char *start, const char *name, bool cores_only);

/* The same for the names that files of events give to events of PMUs that this machine has. */
int event_pmu_vendor(struct event_scan *s, const char *start, const char *name);

/*
 * A generic event of a machine with several kinds of CPU: one on each. @raw: the config is one of a PMU, not generic.
 * 1, 0 if the machine has one kind or none, or negative.
 */
int event_pmu_each_core(struct event_scan *s, const char *start, const struct generic_event *g, bool raw);

#endif
