# The emulator as an image: docker build -t commerce-emulator . && docker run --rm -p 4010:4010 commerce-emulator

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY src ./src
COPY fixtures ./fixtures
COPY scenarios ./scenarios
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4010 FIXTURES_DIR=/fixtures SCENARIOS_DIR=/scenarios
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY --from=build /app/dist ./dist
COPY src/console/ui ./src/console/ui
COPY fixtures ./fixtures
COPY scenarios ./scenarios
RUN mkdir /fixtures /scenarios /data && chown node /data
USER node
EXPOSE 4010
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=3s --timeout=4s --start-period=2s CMD ["node", "dist/main.js", "healthcheck"]
CMD ["node", "dist/main.js"]
