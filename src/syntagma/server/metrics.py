"""Metrics for Prometheus: requests, problems, time, the queue.

Labels are names of routes and codes, never text of a user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from syntagma import __version__

CONTENT_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)


class Metrics:
    """The metrics of one server; the gauges are read whenever the metrics are asked for."""

    def __init__(
        self, active: Callable[[], int], bodies: Callable[[], int], answers: Callable[[], int]
    ) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        Info("syntagma", "The server.", registry=registry).info({"version": __version__})
        about = (
            "Requests by route, method and status. Status 499: the client went, or did not read."
        )
        labels = ("route", "method", "status")
        self._requests = Counter("syntagma_requests", about, labels, registry=registry)
        about = "Seconds from the header of a request to the end of its answer."
        self._seconds = Histogram(
            "syntagma_request_seconds", about, ("route",), buckets=SECONDS, registry=registry
        )
        about = "Problems by operation and outcome: ok, or the code of the error."
        self._problems = Counter(
            "syntagma_problems", about, ("operation", "outcome"), registry=registry
        )
        about = "Requests that wait for the decoder or run."
        Gauge("syntagma_active_requests", about, registry=registry).set_function(active)
        about = "Bytes of request bodies in memory."
        Gauge("syntagma_body_bytes", about, registry=registry).set_function(bodies)
        about = "Bytes of answers in memory that are made or wait for their clients."
        Gauge("syntagma_answer_bytes", about, registry=registry).set_function(answers)

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def solved(self, operation: str, outcomes: Mapping[str, int]) -> None:
        for outcome, number in outcomes.items():
            self._problems.labels(operation, outcome).inc(number)

    def text(self) -> bytes:
        return generate_latest(self.registry)
