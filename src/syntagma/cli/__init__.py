"""The command line: `main` runs one command; the table of commands is in `app`, each in a module.

This module loads nothing, so that a signal finds its handler from the beginning.
"""


def main() -> None:
    """The entry point of the `syntagma` command."""
    try:
        from syntagma.cli import process

        process.occupy_descriptors()
        process.end_on_signals()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    process.prepare_standard_streams()
    import sys

    from syntagma.cli.app import abandon_stdout, run

    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError:
        abandon_stdout()
    sys.exit(code)
