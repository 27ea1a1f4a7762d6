"""Corpus-sized jobs: inputs cut into shards, shards solved by an engine, each written once."""
