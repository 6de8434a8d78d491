# Bower's processes, each a container of this image: see compose.yaml and docs/running.md.
# The Python is the one that the tests run with.
ARG PYTHON=3.11
FROM python:${PYTHON}-slim-trixie

ENV PYTHONUNBUFFERED=1 BOWER_DATA=/var/lib/bower
# pg_dump, pg_restore and psql, for backups: of the server's version, which compose.yaml names, or
# newer. Debian's release above has this one.
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client-17 \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --no-create-home --home-dir /opt/bower bower \
    && install -d -o bower -g bower -m 700 /var/lib/bower /var/backups/bower
WORKDIR /opt/bower

COPY requirements.txt ./
RUN python -m pip install --no-cache-dir --require-hashes -r requirements.txt
COPY manage.py LICENSE ./
COPY euchre_site ./euchre_site
COPY games ./games
COPY tournaments ./tournaments
COPY templates ./templates
COPY static ./static
RUN python -m compileall -q euchre_site games tournaments

USER bower
VOLUME /var/lib/bower
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["python", "-m", "uvicorn", "euchre_site.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--ws", "euchre_site.run.wire:FramingProtocol", "--ws-max-size", "8192", "--ws-per-message-deflate", "false", "--ws-ping-interval", "4", "--ws-ping-timeout", "4", "--no-proxy-headers", "--no-server-header", "--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "5"]
