"""Slow, plain versions of search, features and learning, to check the compiled ones against."""
