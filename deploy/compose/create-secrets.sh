#!/usr/bin/env bash
# Makes each secret that does not exist yet, for the one user who may read it. Existing secrets are never changed.
set -euo pipefail
cd "${1:-/secrets}"
umask 077

# The user of Doorcode's image, and root, as whom the image of PostgreSQL starts.
readonly DOORCODE=10001 ROOT=0

create() { # <name> <user id>: the value is on standard input
  local name=$1 owner=$2
  [[ -e $name ]] && return
  cat > "$name.new"
  chown "$owner" "$name.new"
  chmod 0400 "$name.new"
  mv "$name.new" "$name"
  echo "created $name"
}
random() { head --bytes=32 /dev/urandom | base64 --wrap=0; }

chmod 0711 .
create postgres-password $ROOT < <(random | tr '+/' '-_' | tr -d =) # safe in a URL
create database-url $DOORCODE <<< "postgres://doorcode:$(< postgres-password)@postgres:5432/doorcode"
create secret-key $DOORCODE < <(random)
