"""The neural scorer: slots, set encoder, search with them, reranking, training with PyTorch."""
