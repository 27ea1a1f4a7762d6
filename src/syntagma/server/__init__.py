"""The HTTP service behind `syntagma serve`: an application, a fair queue on threads, limits."""
