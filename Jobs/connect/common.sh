# Shared by lemmy, pixelfed and discourse, which name their schema and their columns. Sourced, not run.
#
# Reads all kinds in one read-only snapshot into a folder that only this user can read, then tries all imports without
# a change, and imports. If the database goes away, or one kind is refused, nothing has been changed.
set -euo pipefail
umask 077
# Migrations are compared byte by byte.
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$(basename "$0")
kinds=(groups users photos memberships pools favourites follows posts)

# Exit codes are those of coterie: 1 a failure, 64 wrong usage, 65 data that is refused, 75 try again later.
fail() {
    echo "$name: $2" >&2
    exit "$1"
}

usage() {
    cat <<END
usage: $name [--nsfw] [--accept-newer] [--dry-run] [ADDRESS] [-- OPTIONS]

Reads the public part of a $site database in one snapshot, and replaces what the catalog has by it.

  ADDRESS         $addresses; CONNECT_ADDRESS if it is missing,
                  which keeps a password out of the list of processes; or PGSERVICE and the other variables of libpq
  --nsfw          also read what is marked as not safe for work
  --accept-newer  read a database with migrations that are newer than those known
  --dry-run       read, and say what would be imported
  OPTIONS         of coterie import, such as --catalog FILE, --config FILE or --allow-shrinking

Article: FromYourCommunity.md
END
}

address=${CONNECT_ADDRESS:-}
nsfw=FALSE accepts_newer= dry_run=
options=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage && exit ;;
    --nsfw) nsfw=TRUE ;;
    --accept-newer) accepts_newer=1 ;;
    --dry-run) dry_run=1 ;;
    --) shift && options=("$@") && break ;;
    -*) fail 64 "unknown option $1; --help says what there is" ;;
    *) address=$1 ;;
    esac
    shift
done

needs() {
    command -v "$1" >/dev/null || fail 1 "$1 is missing: install the Debian package $2"
}

# Takes a password out of an address, because everybody on the machine can see the arguments of programs.
password=
if [[ $address =~ ^([a-z]+://[^:/@]*):([^@/]*)@(.*)$ ]]; then
    address="${BASH_REMATCH[1]}@${BASH_REMATCH[3]}"
    password=${BASH_REMATCH[2]//\\/\\\\}
    password=$(printf '%b' "${password//%/\\x}")
fi

case $address in
mysql://* | mariadb://*)
    [ -n "${has_mariadb:-}" ] || fail 64 "$site keeps its data in PostgreSQL: give an address such as postgres://…"
    dialect=mariadb
    needs mariadb mariadb-client
    ;;
"" | postgres://* | postgresql://*)
    [ -n "$address${PGSERVICE:-}${PGDATABASE:-}" ] ||
        fail 64 "which database? give an address, or set PGSERVICE; --help says more"
    dialect=postgres
    needs psql postgresql-client
    [ -z "$password" ] || export PGPASSWORD=$password
    ;;
*) fail 64 "this is not an address; known are $addresses" ;;
esac
needs gzip gzip
needs awk mawk
needs coterie coterie

export work
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# Runs SQL from standard input.
client() {
    if [ $dialect = postgres ]; then
        psql --no-psqlrc --quiet --no-align --tuples-only --set ON_ERROR_STOP=1 --set VERBOSITY=verbose \
            ${address:+--dbname "$address"}
    else
        # The last file that it reads, and so the one that counts, is .my.cnf at home.
        HOME=$work mariadb --batch --quick --column-names --skip-safe-updates --default-character-set=utf8mb4
    fi
}

if [ $dialect = mariadb ]; then
    [[ $address =~ ^[a-z]+://(([^@]*)@)?([^:/?]*)(:([0-9]+))?/([^?]+)(\?socket=(.+))?$ ]] ||
        fail 64 "this is not an address; known are $addresses"
    {
        echo "[client]"
        printf '%s="%s"\n' user "${BASH_REMATCH[2]:-$(id -un)}" host "${BASH_REMATCH[3]:-localhost}" \
            port "${BASH_REMATCH[5]:-3306}" database "${BASH_REMATCH[6]}" password "${password//[\"\\]/\\&}"
        [ -z "${BASH_REMATCH[8]}" ] || printf 'socket="%s"\n' "${BASH_REMATCH[8]}"
    } >"$work/.my.cnf"
fi

# Says why the database did not answer, with its own words. These may be in any language, so their codes decide.
refused() {
    # mariadb repeats the whole statement before its error.
    ! grep -q '^ERROR [0-9]' "$work/log" || sed -i '/^ERROR [0-9]/,$!d' "$work/log"
    sed -e '/^-*$/d' -e '/^[A-Z]*:  *[A-Za-z_]*, [a-z_]*\.[chly]*:[0-9]*$/d' -e "s/^/$name: /" "$work/log" >&2
    if grep -qE ': +(42703|42P01|42704|42883|22P02): |^ERROR (1054|1146) ' "$work/log"; then
        fail 65 "nothing was changed: this is not the schema that is known of ${schema:-$site}${version:+ ($version)}"
    elif grep -qE ': +42501: |^ERROR (1044|1045|1142|1143) |password authentication failed' "$work/log"; then
        fail 65 "nothing was changed: the role may not read this; the article has the GRANT lines"
    elif grep -qE ': +(22021|22P05): ' "$work/log"; then
        fail 65 "nothing was changed: the database has text that is not in its own encoding"
    fi
    fail 75 "nothing was changed: the database did not answer to the end"
}

version=$(echo "$version_query;" | client 2>"$work/log" | tail -n 1) || refused
[[ $version == [0-9]* ]] || version=
schema=$(schema_of "$version")
case $schema in
"") fail 65 "nothing was changed: the migration \"$version\" is older than the versions of $site that are known" ;;
newer\ *)
    schema=${schema#newer }
    [ -n "$accepts_newer" ] || fail 65 "nothing was changed: the migration $version is newer than those known of \
$schema; what is private may be in columns that are not known: read its notes, then say --accept-newer"
    ;;
esac

# Writes the script for the client from files of SQL. Lines before the first "-- KIND: COLUMNS" begin every query.
script() {
    awk -v dialect=$dialect -v nsfw=$nsfw '
        function set(names,    words, i) {
            for (i = split(names, words, " "); i > 1; i -= 2)
                print "SET LOCAL " words[i - 1] " = \047" words[i] "\047;"
        }
        function finish() {
            if (kind == "") return
            sub(/;[ \n]*$/, "", query)
            if (dialect == "postgres") {
                gsub(/ +/, "\\t", columns)
                print "\\o |gzip -1 >\042$work/" kind ".gz\042\n\\qecho \047" columns "\047"
                print "COPY (\n" common query "\n) TO STDOUT;\n\\o"
            } else {
                print "SELECT \047" kind "\047 AS `coterie-kind`;\n" common query ";"
            }
        }
        BEGIN {
            if (dialect == "postgres") {
                # Local, because a pool of connections may give each transaction another one.
                print "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;"
                set("statement_timeout 0 lock_timeout 1h idle_in_transaction_session_timeout 0 work_mem 32MB jit off")
                # Policies would hide rows, and what is missing would be removed: they are an error.
                set("row_security off")
                # Everything is read, and the planner expects few rows of what is public: it would join row by row.
                set("enable_nestloop off TimeZone UTC DateStyle ISO client_encoding UTF8")
            } else {
                # A limit of the server would cut what is read, and what is missing would be removed.
                print "SET NAMES utf8mb4;\nSET time_zone = \047+00:00\047, group_concat_max_len = 1048576, sql_select_limit = ~0;"
                print "/*M! SET max_statement_time = 0 */;\nSET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ;"
                print "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY;"
            }
        }
        /^-- [a-z-]+:/ {
            finish()
            kind = substr($2, 1, length($2) - 1)
            columns = $0
            sub(/^-- [a-z-]+: */, "", columns)
            query = ""
            next
        }
        /^--/ { next }
        {
            gsub(/@NSFW@/, nsfw)
            gsub(/@TAGS@/, dialect == "postgres" ? "string_agg(h.slug, \047;\047 ORDER BY h.slug)" : \
                "GROUP_CONCAT(h.slug ORDER BY h.slug SEPARATOR \047;\047)")
            if (kind == "") common = common $0 "\n"; else query = query $0 "\n"
        }
        END {
            finish()
            print "COMMIT;"
        }' "$@"
}

# Takes the results of one session of mariadb apart, which stand one behind the other.
split_results() {
    (cd "$work" && awk '
        $0 == "coterie-kind" {
            if (file != "" && close(file)) exit 1
            getline
            file = "gzip -1 >" $0 ".gz"
            next
        }
        { print | file }
        END { if (file != "" && close(file)) exit 1 }')
}

schema_files "$schema" | sed "s|^|$here/|" | xargs -d '\n' cat >"$work/sql"
script "$work/sql" >"$work/script"
if [ $dialect = postgres ]; then
    format=copy
    client <"$work/script" >/dev/null 2>"$work/log" || refused
else
    format=mysql
    client <"$work/script" 2>"$work/log" | split_results || refused
fi

# Imports one kind, with more options.
import() {
    coterie import "$1" "$work/$1.gz" --format $format --replace "${options[@]}" "${@:2}"
}

# Imports one kind with more options, and says so without the names of files that will be gone; $code is its exit code.
import_aloud() {
    code=0
    import "$@" >"$work/log" 2>&1 || code=$?
    sed -i -e "\\|^$work/[^ ]*: text with |d" -e "s|$work/||g" "$work/log"
    if [ $code = 0 ]; then cat "$work/log"; else cat "$work/log" >&2; fi
    return $code
}

# Whether neither the database nor the catalog has rows of a kind; a file without rows is refused otherwise.
is_unused() {
    [ -z "$(gzip -cd "$work/$1.gz" | sed -n 2p)" ] &&
        import "$1" --allow-shrinking --dry-run --json 2>/dev/null | grep -qE '"removed" ?: ?0\b'
}

read=()
for kind in "${kinds[@]}"; do
    grep -q "^-- $kind:" "$work/sql" || continue
    [ -s "$work/$kind.gz" ] || fail 75 "nothing was changed: $kind were not read; is the disk of ${TMPDIR:-/tmp} full?"
    is_unused "$kind" || read+=("$kind")
done
for kind in "${read[@]}"; do
    import_aloud "$kind" --dry-run >"$work/tried" || fail $code "nothing was changed: the $kind of $site are refused"
    [ -z "$dry_run" ] || cat "$work/tried"
done
for kind in "${read[@]}"; do
    [ -z "$dry_run" ] || break
    import_aloud "$kind" || fail $code "the $kind and those after them were not imported; run this again"
done
echo "read from $schema, migration $version; left out:"
gzip -cd "$work/left-out.gz" | tail -n +2 | awk -F '\t' '{ printf "%10d  %s\n", $2, $1 }'
