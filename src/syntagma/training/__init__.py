"""Training runs: epochs, model selection, stop and resume; language models into models."""
