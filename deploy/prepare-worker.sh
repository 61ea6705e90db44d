#!/bin/sh
# Prepares a machine that only plays matches (compose.worker.yml). Runs as root at each start, before its workers.
set -e
. deploy/folders.sh
remove_old_temporary_files # that workers left which were killed
chown agon-opener: "$AGON_SANDBOX_SOCKETS"
docker_group=$(stat -c %g /var/run/docker.sock)
setpriv --reuid agon-workers --regid agon --groups "$docker_group" --inh-caps=-all python -m sandbox.images
