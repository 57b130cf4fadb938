# The program in an image: built from the lockfile, run by a user without rights, jobs kept in /data.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image has its own Node; the one of the packages would be found first, and is for x64 only.
RUN npm ci --ignore-scripts --loglevel=error --force && rm node_modules/.bin/node
COPY tsconfig.json tsconfig.build.json ./
COPY ci ci
COPY src src
COPY dashboard dashboard
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
# Reaps what a crashed child leaves behind; as process 1 Node would not.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY bin bin
RUN mkdir /data && chown node:node /data
USER node
WORKDIR /data
VOLUME /data
ENV SCRAPER_DATA_DIR=/data/.kscrape
ENTRYPOINT ["tini", "--", "node", "/app/bin/kscrape.js"]
CMD ["--help"]
