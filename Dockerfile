# The image of offerd and offerctl: docker build --tag offerd --build-arg OFFERD_COMMIT=$(git rev-parse --short=12 HEAD) .
# Run it with a read-only root file system, a volume for the database and the configuration mounted (Examples/compose).

FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends \
    binutils dpkg-dev git libsqlite3-dev libssl-dev openssl pkg-config python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
# `.git` stays outside of the image's context: the commit and its time are arguments.
ARG OFFERD_COMMIT=
ARG SOURCE_DATE_EPOCH=0
RUN OFFERD_COMMIT=$OFFERD_COMMIT SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH Scripts/package --out /package

FROM debian:bookworm-slim
# A fixed number, so that volumes and orchestrators can name the user.
RUN groupadd --system --gid 10001 offerd && \
    useradd --system --uid 10001 --gid offerd --home-dir /var/lib/offerd --no-create-home --shell /usr/sbin/nologin offerd
COPY --from=build /package /package
RUN apt-get update && apt-get install --yes --no-install-recommends /package/offerd_*.deb && \
    rm -rf /package /var/lib/apt/lists/*
ENV OFFERD_LISTEN=0.0.0.0:8080
USER 10001:10001
VOLUME /var/lib/offerd
EXPOSE 8080
# /readyz would take a server out that only waits for its disk or clock, and restarting it would not help.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["bash", "-c", "\
    exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r status <&3 && [[ $status == *' 200 '* ]]"]
ENTRYPOINT ["offerd"]
CMD ["serve", "--config", "/etc/offerd/offerd.yaml"]
