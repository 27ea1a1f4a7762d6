"""A worker process of the processes engine: it does the work for one treebank.

It reads the job from standard input, and answers on standard output, one JSON value per line;
`processes` is the other end. It ends at once when that is gone: its standard input ends.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import threading
from dataclasses import asdict
from typing import IO

from syntagma.engines.worker_process import open_answers, send
from syntagma.files import temporary
from syntagma.sweeps.job import TrainingJob
from syntagma.sweeps.work import run_job

PARENT_GONE = 3  # exit code


def main() -> None:
    """Do the work of one job."""
    answers = open_answers()
    faulthandler.enable()
    job = TrainingJob.from_json(json.loads(sys.stdin.readline()))
    threading.Thread(target=_end_with_parent, args=(sys.stdin,), daemon=True).start()
    outcome = run_job(job, lambda text: send(answers, {"at": text}))
    send(answers, {"outcome": asdict(outcome)})


def _end_with_parent(stdin: IO[str]) -> None:
    stdin.read()
    temporary.abandon()
    os._exit(PARENT_GONE)


if __name__ == "__main__":
    main()
