#!/bin/sh
# Prepares a production site. Runs as root at each start of the site, before its other services.
set -e
mkdir -p "$AGON_SANDBOX_SOCKETS"
chown agon: "$AGON_VAR" "$AGON_SANDBOX_SOCKETS"
chmod 700 "$AGON_VAR"
docker_group=$(stat -c %g /var/run/docker.sock)
as_agon() { setpriv --reuid agon --regid agon --groups "$docker_group" --inh-caps=-all "$@"; }
as_agon python -m sandbox.images
as_agon python manage.py migrate --noinput
as_agon python manage.py install_house_bots
as_agon python manage.py ensure_admin --password-file "$AGON_VAR/first-admin-password"
