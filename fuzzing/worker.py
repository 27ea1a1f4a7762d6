"""A worker process: runs cases of one target, as the supervisor asks for them on standard input.

Requests are lines: `case SEED NUMBER`, or `file PATH` to replay an input. The answer to each is one
line of JSON on what was standard output: null, or what was raised. Standard output itself is led
to standard error, so that nothing that the package prints can be taken for an answer.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import sys
import traceback
from pathlib import Path

from fuzzing.targets import case_of, create


def main(name: str, megabytes: int) -> None:
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)  # the supervisor asks where it hangs
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    target = create(name)
    answers.write("ready\n")
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    for line in sys.stdin:
        kind, _, rest = line.rstrip("\n").partition(" ")
        raised = None
        try:
            if kind == "file":
                data = Path(rest).read_bytes()
            else:
                seed, _, number = rest.partition(" ")
                data = case_of(target, name, int(seed), int(number))
            target.run(data)
        except BaseException as error:  # whatever it is, it is a finding
            raised = {
                "error": f"{type(error).__name__}: {error}"[:500],
                "traceback": "".join(traceback.format_exception(error))[-20_000:],
            }
        answers.write(json.dumps(raised) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
