# shellcheck shell=bash
# A PostgreSQL server for tests, in a folder of its own, reached through a socket there alone. Sourced after lib.sh.

# as_owner COMMAND…: runs a command as the owner of a database's files: PostgreSQL refuses root. Without the library that
# keeps tests on this machine: nothing here calls another.
as_owner() {
    if ((EUID == 0)); then
        env --unset=LD_PRELOAD runuser --user postgres -- "$@"
    else
        env --unset=LD_PRELOAD "$@"
    fi
}

# The folder of the newest version's programs; Debian keeps them out of PATH.
postgres_programs() { find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort --version-sort | tail -n 1; }

# start_postgres: makes and starts a server, and sets OFFERD_TEST_POSTGRES to the folder of its socket. It flushes nothing: no
# test of these pulls the plug.
start_postgres() {
    postgres_bin=$(postgres_programs)
    postgres_folder=$(mktemp -d -t offerd-postgres.XXXXXX)
    chmod 755 "$postgres_folder"
    if ((EUID == 0)); then chown postgres "$postgres_folder"; fi
    (
        cd /
        as_owner "$postgres_bin/initdb" --pgdata "$postgres_folder/data" --username postgres --auth trust \
            --encoding UTF8 --locale C --no-sync &&
            as_owner "$postgres_bin/pg_ctl" --pgdata "$postgres_folder/data" --log "$postgres_folder/log" --wait start \
                --options "-c listen_addresses='' -c unix_socket_directories='$postgres_folder' -c fsync=off \
                    -c max_connections=300 -c max_wal_size=4GB"
    ) >"$postgres_folder.log" 2>&1 </dev/null || {
        cat "$postgres_folder.log" >&2
        complain "PostgreSQL does not start" "its log is $postgres_folder/log"
        return 1
    }
    export OFFERD_TEST_POSTGRES=$postgres_folder
}

# Stops the server that start_postgres started, and removes it.
stop_postgres() {
    unset OFFERD_TEST_POSTGRES
    (cd / && as_owner "$postgres_bin/pg_ctl" --pgdata "$postgres_folder/data" --mode immediate stop >/dev/null 2>&1) || true
    rm -rf "$postgres_folder" "$postgres_folder.log"
}
