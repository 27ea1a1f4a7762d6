"""Model files: the container, the header, loading, one interface; the shipped weights."""
