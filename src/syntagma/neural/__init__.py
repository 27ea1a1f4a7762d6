"""The neural scorer: set encoder, slots, search, reranker, and training with PyTorch."""
