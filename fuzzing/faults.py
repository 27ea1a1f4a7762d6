"""A target that breaks in every way a case can, to test the supervision with. It is not listed."""

from __future__ import annotations

import os
import signal
import time
from random import Random

FAULTS = (b"nothing", b"exception", b"exit", b"SIGSEGV", b"hang", b"memory", b"print")


class Faults:
    """The input names what happens."""

    def case(self, rng: Random) -> bytes:
        return rng.choice(FAULTS)

    def run(self, data: bytes) -> None:
        match data:
            case b"exception":
                raise ValueError("raised on purpose")
            case b"exit":
                os._exit(3)
            case b"SIGSEGV":
                os.kill(os.getpid(), signal.SIGSEGV)
            case b"hang":
                time.sleep(3600)
            case b"memory":
                bytearray(1 << 40)
            case b"print":
                os.write(1, b"null\n")
