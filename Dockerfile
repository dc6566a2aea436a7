# The studio and its serving API. Build: docker build --tag bideta .
# Run: docker run --publish 127.0.0.1:8765:8765 --volume bideta:/home/bideta/data --env BIDETA_TOKEN=… bideta
FROM python:3.11-slim-bookworm AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
COPY docs ./docs
RUN python -m venv /opt/bideta \
    && /opt/bideta/bin/pip install --no-cache-dir --disable-pip-version-check '.[serve,real,plots]'

FROM python:3.11-slim-bookworm
RUN useradd --create-home --uid 10001 bideta && mkdir /home/bideta/data && chown bideta /home/bideta/data
COPY --from=build /opt/bideta /opt/bideta
ENV PATH=/opt/bideta/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
WORKDIR /home/bideta
VOLUME /home/bideta/data
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/healthz', timeout=4)"]
CMD ["bideta", "studio", "--host", "0.0.0.0", "--no-open", "--home", "/home/bideta/data"]
