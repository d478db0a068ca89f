# Starts servers of databases in the folder of a test, for its scripts. Sourced; the servers end with the script.
set -euo pipefail
chmod 755 .
mkdir -p s && chmod 777 s
folder=$PWD/s
# Servers do not run as root.
as_owner() {
    if [ "$(id -u)" = 0 ]; then (cd "$folder" && setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"); else "$@"; fi
}

postgres() { as_owner "$POSTGRES/pg_ctl" --pgdata "$folder/data" --log "$folder/log" --wait --silent "$@"; }

start_postgres() {
    export PGHOST=$folder PGUSER=app PGDATABASE=app PGTZ=Asia/Tokyo
    as_owner "$POSTGRES/initdb" --auth trust --username app --encoding UTF8 --no-sync --pgdata "$folder/data" >/dev/null
    postgres --options "-k '$folder' -c listen_addresses='' -c fsync=off" start
    trap 'postgres --mode immediate stop || true' EXIT
    createdb
}

start_mariadb() {
    as_owner mariadb-install-db --no-defaults --datadir="$folder/data" --auth-root-authentication-method=normal \
        --skip-test-db >/dev/null 2>&1
    as_owner mariadbd --no-defaults --datadir="$folder/data" --socket="$folder/m" --skip-networking --pid-file="$folder/pid" \
        >/dev/null 2>"$folder/log" &
    trap 'kill "$(cat "$folder/pid")"; wait' EXIT
    for _ in $(seq 300); do root_sql -e "SELECT 1" >/dev/null 2>&1 && break || sleep 0.2; done
    root_sql -e "CREATE DATABASE app CHARACTER SET utf8mb4"
}

root_sql() { mariadb --no-defaults --user root --socket "$folder/m" --default-character-set=utf8mb4 "$@"; }

sql() { psql --no-psqlrc --quiet --no-align --tuples-only --set ON_ERROR_STOP=1 "$@"; }
