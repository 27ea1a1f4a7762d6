"""Small requests beside hostile ones for a few seconds: benchmarks/hostile_load.py, shortened."""

import pytest

pytest.importorskip("starlette", reason="no Starlette: pip install 'syntagma[server]'")
pytest.importorskip("python_multipart", reason="pip install 'syntagma[server]'")

from hostile_load import ATTACKS, measure, serving

SECONDS = 6
MOST = 300  # MB; what Python and the system keep for later use included


@pytest.mark.slow
def test_hostile_requests_wear_nothing_out() -> None:
    with serving("--threads", "2") as server:
        figures = measure(server, SECONDS)
        # It is still there, and no thread is held.
        assert server.send("GET", "/readyz", {})[0] == 200
    assert figures["small_errors"] == 0, figures["small_statuses"]
    tried = {each.split()[0] for each in figures["hostile"]}
    assert tried == set(ATTACKS)
    assert not [each for each in figures["hostile"] if each.endswith((" 500", " cut"))]
    assert "cross-site 200" not in figures["hostile"]
    assert max(figures["memory_mb"]) - figures["memory_mb"][0] < MOST


@pytest.mark.slow
def test_small_requests_do_not_wait_for_long_searches() -> None:
    """Both threads are busy with searches of a second each: no small one waits for their ends."""
    with serving("--threads", "2") as server:
        figures = measure(server, SECONDS, attacks=["orders"])
    assert figures["small_errors"] == 0, figures["small_statuses"]
    assert figures["small"] > 4 * figures["hostile"]["orders 200"]
