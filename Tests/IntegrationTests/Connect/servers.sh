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

# A pool with one connection, which gives each transaction of a client the next free one.
start_pgbouncer() {
    echo '"coterie_reader" ""' >"$folder/users"
    cat >"$folder/pool.ini" <<END
[databases]
app = host=$folder
[pgbouncer]
pool_mode = transaction
default_pool_size = 1
listen_addr =
listen_port = 6432
unix_socket_dir = $folder
auth_type = trust
auth_file = $folder/users
logfile = $folder/pool.log
pidfile = $folder/pool.pid
END
    trap 'kill "$(cat "$folder/pool.pid")"; postgres --mode immediate stop || true' EXIT
    as_owner "$(command -v pgbouncer)" --daemon --quiet "$folder/pool.ini"
    until [ -S "$folder/.s.PGSQL.6432" ]; do sleep 0.1; done
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
