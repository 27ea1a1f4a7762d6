"""The command line: `main` runs one command; the table of commands is in `app`, each in a module.

This module loads nothing, so that a signal finds its handler from the beginning.
"""

TYPE_CHECKING = False  # as in typing, which takes a while to import

if TYPE_CHECKING:
    from syntagma.cli.app import COMMANDS as COMMANDS
    from syntagma.cli.app import build_app as build_app
    from syntagma.cli.app import run as run


def main() -> None:
    """The entry point of the `syntagma` command."""
    try:
        from syntagma.cli.signals import end_on_signals
        from syntagma.cli.standard_streams import occupy_descriptors, prepare_standard_streams

        occupy_descriptors()
        end_on_signals()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    prepare_standard_streams()
    import sys

    from syntagma.cli.app import abandon_stdout, run

    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError:
        abandon_stdout()
    sys.exit(code)


def __getattr__(name: str) -> object:
    if name not in ("COMMANDS", "build_app", "run"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from syntagma.cli import app

    found: object = getattr(app, name)
    return found
