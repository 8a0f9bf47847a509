# The emulator as an image: docker build -t commerce-emulator . && docker run --rm -p 127.0.0.1:4010:4010 commerce-emulator
# docs/docker.md says what is in it, how to look into it while it runs, and how to renew the digest.

FROM node:24.19.0-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
COPY fixtures ./fixtures
COPY scenarios ./scenarios
RUN npm run build && rm dist/inputs.txt

# a command that fails in a pipe fails the build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# /image: Node.js with the libraries that it is linked to, and the entries of their packages, which scanners read
RUN mkdir -p /image/etc /image/home/node /image/var/lib/dpkg/status.d /image/usr/local/bin \
  && libraries=$(ldd /usr/local/bin/node | grep -o '/[^ ]*') \
  && cp --parents --dereference $libraries /image \
  && packages=$(for file in $libraries; do dpkg -S "*/${file##*/}" || exit; done | cut -d: -f1 | sort -u) \
  && for package in $packages; do \
    dpkg -s "$package" > "/image/var/lib/dpkg/status.d/$package" || exit; \
    ! test -e "/usr/share/doc/$package/copyright" || cp --parents --dereference "/usr/share/doc/$package/copyright" /image || exit; \
  done \
  && cp /usr/local/bin/node /image/usr/local/bin \
  && cp /etc/os-release /image/etc \
  && echo 'node:x:1000:1000::/home/node:/sbin/nologin' > /image/etc/passwd \
  && echo 'node:x:1000:' > /image/etc/group \
  && echo 'hosts: files dns' > /image/etc/nsswitch.conf
# the emulator; a new volume at /data belongs to its user, and to group 0, in which OpenShift runs any user
RUN mkdir -p /image/fixtures /image/scenarios /image/data /image/app && chown 1000:0 /image/data /image/home/node && chmod g=u /image/data /image/home/node && mkdir -m 1777 /image/tmp \
  && cp -r package.json dist fixtures scenarios /image/app

FROM scratch
LABEL org.opencontainers.image.title="commerce-emulator" \
  org.opencontainers.image.description="A local emulator of the Commerce Service API" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.source="https://github.com/commerce-emulator/commerce-emulator" \
  org.opencontainers.image.documentation="https://github.com/commerce-emulator/commerce-emulator/blob/main/docs/docker.md"
COPY --from=build /image /
ENV PATH=/usr/local/bin NODE_ENV=production HOST=0.0.0.0 PORT=4010 FIXTURES_DIR=/fixtures SCENARIOS_DIR=/scenarios
WORKDIR /app
# node, by its number, by which orchestrators see that it is not root
USER 1000:1000
EXPOSE 4010
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=3s --timeout=4s --start-period=2s CMD ["node", "/app/dist/main.js", "healthcheck"]
# what follows the image on the command line is its flags, or a command: --scenario month-end
ENTRYPOINT ["node", "/app/dist/main.js"]
