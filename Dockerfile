# The server in a container: see docs/guide/server.md. tests/server/test_container.py runs these steps.
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY pyproject.toml setup.py README.md LICENSE MANIFEST.in ./
COPY src ./src
RUN python -m venv /opt/syntagma
RUN /opt/syntagma/bin/pip install --no-cache-dir ".[server]"
# Packages of other languages, as in: docker build --build-arg LANGUAGES="fr ko" .
ARG LANGUAGES=""
COPY languages ./languages
RUN for language in $LANGUAGES; do \
      if ! test -f "languages/$language/syntagma_$language/$language.syntagma"; then \
        echo "LANGUAGES: no model of '$language' in languages/; there are:" languages/*/syntagma_*/*.syntagma >&2; \
        exit 2; \
      fi; \
      /opt/syntagma/bin/pip install --no-cache-dir --no-deps "./languages/$language" || exit 1; \
    done

FROM python:3.12-slim
COPY --from=build /opt/syntagma /opt/syntagma
RUN useradd --system --uid 10001 --no-create-home syntagma
USER 10001
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["/opt/syntagma/bin/python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz')"]
ENTRYPOINT ["/opt/syntagma/bin/syntagma", "serve", "--host", "0.0.0.0", "--port", "8000"]
CMD ["--token-file", "/run/secrets/syntagma-token"]
