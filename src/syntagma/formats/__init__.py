"""Readers of problems and writers of results, one module per format."""
