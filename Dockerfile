# The image of offerd and offerctl (docs/install.md, Examples/compose):
#
#   docker build --tag offerd --build-arg OFFERD_COMMIT=$(git rev-parse --short=12 HEAD) \
#       --build-arg SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) .

FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends \
    binutils dpkg-dev git libsqlite3-dev libssl-dev openssl pkg-config python3 zlib1g-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
# `.git` is not in the build context, so the commit and its time are arguments.
ARG OFFERD_COMMIT=
ARG SOURCE_DATE_EPOCH=0
RUN OFFERD_COMMIT=$OFFERD_COMMIT SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH Scripts/package --out /package

FROM debian:bookworm-slim
# A fixed number, so that volumes and orchestrators can name the user.
RUN groupadd --system --gid 10001 offerd && \
    useradd --system --uid 10001 --gid offerd --home-dir /var/lib/offerd --no-create-home --shell /usr/sbin/nologin offerd
RUN --mount=type=bind,from=build,source=/package,target=/package \
    apt-get update && apt-get install --yes --no-install-recommends /package/offerd_*.deb && rm -rf /var/lib/apt/lists/*
ENV OFFERD_LISTEN=0.0.0.0:8080
USER 10001:10001
VOLUME /var/lib/offerd
EXPOSE 8080
# Not /readyz: it also fails when the disk is full or the clock is wrong, and a restart would not help.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["bash", "-c", "\
    exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r status <&3 && [[ $status == *' 200 '* ]]"]
ENTRYPOINT ["offerd"]
CMD ["serve", "--config", "/etc/offerd/offerd.yaml"]
