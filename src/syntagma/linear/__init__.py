"""The linear scorer (L15, P16): feature templates, search with them, perceptron training."""
