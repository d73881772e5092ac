"""The daemon itself, as it is when somebody asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, get_args

from daemon.metrics.base import Family, Metric, Names, Now, Sample
from daemon.wire import ModelState

INFO: Final = Metric("nearloop_build_info", "gauge", "Always 1; its label is the version.", ("version",))
STARTED: Final = Metric("nearloop_start_time_seconds", "gauge", "When the daemon started, in seconds since the epoch.")
IN_FLIGHT: Final = Metric("nearloop_in_flight_requests", "gauge", "Requests that came and are not ended.")
WAITING: Final = Metric("nearloop_waiting_for_user", "gauge", "Requests and calls that wait for the user's word.")
LOCAL_ONLY: Final = Metric("nearloop_local_only", "gauge", "1 while nothing may leave this machine.")
DROPPED: Final = Metric(
    "nearloop_records_dropped_total", "counter", "Records that were lost, since the disk did not take them."
)
STATE: Final = Metric("nearloop_model_state", "gauge", "1 for the state that a local model is in.", ("model", "state"))
QUEUED: Final = Metric("nearloop_model_queued_requests", "gauge", "Requests in front of a local model.", ("model",))
RESTARTS: Final = Metric(
    "nearloop_model_restarts_total", "counter", "Times that a local model's process was started anew.", ("model",)
)


def _now(now: Now, names: Names) -> Iterable[Sample]:
    yield INFO, (now.version,), 1
    yield STARTED, (), now.started_at.timestamp()
    yield IN_FLIGHT, (), now.in_flight
    yield WAITING, (), now.waiting
    yield LOCAL_ONLY, (), now.local_only
    yield DROPPED, (), now.dropped
    for model in now.models:
        name = names.model(f"local/{model.name.removeprefix('local/')}")
        for state in get_args(ModelState):
            yield STATE, (name, state), model.state == state
        yield QUEUED, (name,), model.waiting
        yield RESTARTS, (name,), model.restarts


FAMILY: Final = Family((INFO, STARTED, IN_FLIGHT, WAITING, LOCAL_ONLY, DROPPED, STATE, QUEUED, RESTARTS), now=_now)
