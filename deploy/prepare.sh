#!/bin/sh
# Prepares a production site. Runs as root at each start of the site, before its other services.
set -e
. deploy/folders.sh
# Workers reach the engine through `opener`, which is not there yet: what is done here as agon-workers goes to the
# engine itself.
remove_old_temporary_files # that services left which were killed
chown agon-opener: "$AGON_SANDBOX_SOCKETS"
docker_group=$(stat -c %g /var/run/docker.sock)
run_as() {
    user=$1
    shift
    setpriv --reuid "$user" --regid agon --groups "$docker_group" --inh-caps=-all "$@"
}
own_sockets="$AGON_VAR/prepare"
rm -rf "$own_sockets"
mkdir -p "$own_sockets"
chown agon-workers: "$own_sockets"
run_as agon-workers python -m sandbox.images
run_as agon python manage.py migrate --noinput
run_as agon python manage.py note_game_versions
AGON_SANDBOX_SOCKETS=$own_sockets run_as agon-workers python manage.py install_house_bots
rm -r "$own_sockets"
run_as agon python manage.py ensure_admin --password-file "$AGON_VAR/first-admin-password"
