"""The server as a process: its socket, its threads, its signals."""

from __future__ import annotations

import socket
from collections.abc import Sequence

import uvicorn

from syntagma.server.app import build_app
from syntagma.server.fair_queue import FairQueue
from syntagma.server.limits import Limits
from syntagma.server.served import load_models


def run(host: str, port: int, names: Sequence[str], threads: int, limits: Limits) -> None:
    listening = socket.create_server((host, port))
    models = load_models(names)
    queue = FairQueue(threads)
    config = uvicorn.Config(
        build_app(models, queue, limits), log_config=None, access_log=False, server_header=False
    )
    address, port = listening.getsockname()[:2]
    print(f"Serving {models.default} at http://{address}:{port}/ (Ctrl-C to stop)", flush=True)
    uvicorn.Server(config).run(sockets=[listening])
