#!/usr/bin/env bash
# Creates each missing secret in two folders: "postgres" for PostgreSQL, and "doorcode" for Doorcode. Each container mounts only its
# own, and each secret is readable only by the user that needs it. Never changes an existing value.
set -euo pipefail
cd "${1:-/secrets}"
umask 077

# The user of Doorcode's image, and root, as whom the image of PostgreSQL starts.
readonly DOORCODE=10001 ROOT=0

create() { # <name> <user id>: the value is on standard input
  local name=$1 owner=$2
  if [[ -e $name ]]; then
    protect "$name" "$owner" # an operator may have put it there
    return
  fi
  cat > "$name.new"
  protect "$name.new" "$owner"
  mv "$name.new" "$name"
  echo "created ${name##*/}"
}
protect() {
  chown "$2" "$1"
  chmod 0400 "$1"
}
url() { # <role> <file of its password>
  echo "postgres://$1:$(encode "$2")@postgres:5432/doorcode"
}
encode() { # for a URL: an operator's own password may have any character
  local LC_ALL=C text i
  text=$(< "$1")
  for ((i = 0; i < ${#text}; i += 1)); do
    case ${text:i:1} in
      [A-Za-z0-9._~-]) printf '%s' "${text:i:1}" ;;
      *) printf '%%%02X' "'${text:i:1}" ;;
    esac
  done
}
random() { head --bytes=32 /dev/urandom | base64 --wrap=0; }

chmod 0711 doorcode
chmod 0700 postgres
create postgres/postgres-password $ROOT < <(random)
create postgres/owner-password $ROOT < <(random)
create doorcode/database-url $DOORCODE < <(url doorcode_owner postgres/owner-password)
create doorcode/secret-key $DOORCODE < <(random)
