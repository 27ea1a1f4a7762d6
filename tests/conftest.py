"""What holds for all tests: none of them may fail because the machine is slow."""

from hypothesis import settings

settings.register_profile("syntagma", deadline=None)
settings.load_profile("syntagma")
