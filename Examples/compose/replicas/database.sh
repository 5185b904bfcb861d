#!/usr/bin/env bash
# Starts one of the two PostgreSQL servers of replicas.yaml. If it has no data yet, it makes a database, or copies the server that it follows.
#
#   NAME      its name, which the other server waits for (synchronous_standby_names in postgresql.conf)
#   FOLLOWS   the server to copy and to follow, in libpq's words, such as `host=db1`; empty for the primary
#   PGDATA    the folder of its data, which this script creates; the folder above it is there
#
# Run it as the user postgres. Arguments are passed on to PostgreSQL.
set -euo pipefail

: "${NAME:?}" "${PGDATA:?}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
new=$PGDATA.new

# Everything happens in another folder first: what was interrupted is never taken for a database.
make() {
    rm -rf "$new"
    initdb --pgdata "$new" --username postgres --encoding UTF8 --locale C --data-checksums --auth-local peer --auth-host scram-sha-256
    # No standby is there to wait for yet, and only this script reaches the server.
    pg_ctl --pgdata "$new" --wait --options "-c listen_addresses='' -c unix_socket_directories='$new'" start
    psql --host "$new" --username postgres --no-psqlrc --quiet --set ON_ERROR_STOP=1 <<'SQL'
\set offerd `cat /run/secrets/offerd.password`
\set replicator `cut -d : -f 5 /run/secrets/replicator.pgpass`
CREATE ROLE offerd LOGIN PASSWORD :'offerd';
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'replicator';
CREATE DATABASE offerd OWNER offerd;
SQL
    pg_ctl --pgdata "$new" --wait --mode fast stop
}

copy() {
    rm -rf "$new"
    # Both start at the same time.
    until pg_isready --quiet --dbname "$FOLLOWS"; do sleep 1; done
    pg_basebackup --pgdata "$new" --write-recovery-conf --checkpoint fast \
        --dbname "$FOLLOWS user=replicator passfile=/run/secrets/replicator.pgpass application_name=$NAME connect_timeout=3"
    # What was set by hand on the other server, to go on without this one, is not for this one.
    sed -i '/^synchronous_standby_names/d' "$new/postgresql.auto.conf"
}

if [[ ! -d $PGDATA ]]; then
    if [[ -n ${FOLLOWS:-} ]]; then copy; else make; fi
    mv "$new" "$PGDATA"
elif [[ -n ${FOLLOWS:-} && ! -f $PGDATA/standby.signal ]]; then
    echo "error: \`$NAME\` is to follow \`$FOLLOWS\`, but its data is that of a primary" >&2
    echo "hint: if the other server is the primary now, remove the data of \`$NAME\`; it is copied at the next start" >&2
    exit 1
fi

exec postgres -c "config_file=$here/postgresql.conf" -c "hba_file=$here/pg_hba.conf" -c "cluster_name=$NAME" "$@"
