# shellcheck shell=bash
# A PostgreSQL server for tests, in a folder of its own, reached by a socket there alone. To be sourced after lib.sh.

# The programs of the newest version that is installed.
postgres_bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort --version-sort | tail -n 1)

# as_owner COMMAND…: runs a command as who may own a database's files: PostgreSQL refuses root.
as_owner() {
    if [[ $EUID == 0 ]]; then runuser --user postgres -- "$@"; else "$@"; fi
}

# start_postgres FOLDER: makes and starts a server, and sets OFFERD_TEST_POSTGRES to where its socket is. Nothing is flushed: a
# test that pulls the plug starts its own.
start_postgres() {
    postgres_folder=$1
    mkdir -p "$postgres_folder"
    if [[ $EUID == 0 ]]; then chown postgres "$postgres_folder"; fi
    as_owner "$postgres_bin/initdb" --pgdata "$postgres_folder/data" --username postgres --auth trust --encoding UTF8 \
        --locale C --no-sync >"$postgres_folder.log" 2>&1 || return 1
    as_owner "$postgres_bin/pg_ctl" --pgdata "$postgres_folder/data" --log "$postgres_folder/log" --wait start --options \
        "-c listen_addresses='' -c unix_socket_directories='$postgres_folder' -c fsync=off -c max_connections=300" \
        >>"$postgres_folder.log" 2>&1 || return 1
    export OFFERD_TEST_POSTGRES=$postgres_folder
}

stop_postgres() {
    as_owner "$postgres_bin/pg_ctl" --pgdata "$postgres_folder/data" --mode immediate stop >/dev/null 2>&1 || true
}
