# The program in two images: `slim` for every role without a browser, `browser` with Chromium.
#   docker build --target slim --tag kscrape:dev .
#   docker build --target browser --tag kscrape-browser:dev .
# The scripts in ci/image do all installation steps, and a test runs them.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json ./
COPY ci ci
COPY bin bin
COPY dashboard dashboard
COPY docs docs
COPY guide guide
COPY src src
RUN ci/image/install-app /build /app

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS slim
COPY ci/image/install-programs ci/image/slim-programs /tmp/image/
RUN /tmp/image/install-programs /tmp/image/slim-programs && rm -r /tmp/image \
  && mkdir /data && chown node:node /data
COPY --from=build /app /app
USER node
WORKDIR /data
VOLUME /data
ENV NODE_ENV=production SCRAPER_DATA_DIR=/data/.kscrape SCRAPER_TRUST=on
EXPOSE 8001 9464
# The service listens on 8001, a role of a cluster on its health port.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=6 \
  CMD ["node", "/app/alive.js"]
# After this signal the process accepts no new work, finishes running tasks within the grace period, and requeues the rest.
STOPSIGNAL SIGTERM
# tini reaps orphaned processes and forwards SIGTERM. As process 1, Node would do neither.
# The first line of kscrape.js sets the memory flags of Node.
ENTRYPOINT ["tini", "--", "/app/bin/kscrape.js"]
CMD ["serve", "--host", "0.0.0.0"]

FROM slim AS browser
USER root
COPY ci/image/install-programs ci/image/browser-programs /tmp/image/
RUN /tmp/image/install-programs /tmp/image/browser-programs && rm -r /tmp/image
USER node
