#!/bin/sh
# What the image postgres:15 does at its start: the first time it makes the database.
set -e
if ! test -s "$PGDATA/PG_VERSION"; then
    initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    pg_ctl --wait --options="-c listen_addresses=''" start
    createdb --username="$POSTGRES_USER" "$POSTGRES_USER"
    pg_ctl --wait --mode=fast stop
fi
exec postgres -c "listen_addresses=*"
