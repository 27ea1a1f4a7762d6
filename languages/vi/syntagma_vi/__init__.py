"""A model of Syntagma: load it by `syntagma.load("vi")`."""
