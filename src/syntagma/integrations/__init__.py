"""Syntagma as a part of other packages."""
