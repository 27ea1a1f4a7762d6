"""N-gram language models: estimation, pruning, the packed table, ARPA files, look-up."""
