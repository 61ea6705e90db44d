# Makes the folders of a production site. prepare.sh and restore.sh begin with it, as root. The services have users of
# their own, and share files by the group; backups are for `agon-tools` alone, certificates for `agon-proxy`.
mkdir -p "$AGON_SANDBOX_SOCKETS" "$TMPDIR" "$AGON_VAR/backups" "$AGON_VAR/proxy"
chown agon:agon "$AGON_VAR"
chmod 2770 "$AGON_VAR"
chown agon:agon "$TMPDIR"
chmod 3770 "$TMPDIR"
chown agon-tools: "$AGON_VAR/backups"
chmod 700 "$AGON_VAR/backups"
chown agon-proxy: "$AGON_VAR/proxy" # certificates and their keys
chmod 700 "$AGON_VAR/proxy"
