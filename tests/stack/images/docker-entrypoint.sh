#!/bin/sh
# What the public image of PostgreSQL does before a command that starts with `postgres`: the first time it makes the
# database. Any other command runs as it is, as with the public images of PostgreSQL and Redis.
set -e
if test "$1" = postgres && ! test -s "$PGDATA/PG_VERSION"; then
    initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    echo "listen_addresses = '*'" >> "$PGDATA/postgresql.conf"
    pg_ctl --wait --options="-c listen_addresses=''" start
    createdb --username="$POSTGRES_USER" "$POSTGRES_USER"
    pg_ctl --wait --mode=fast stop
fi
exec "$@"
