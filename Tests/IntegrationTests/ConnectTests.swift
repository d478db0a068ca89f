import Foundation
import SQLite
import Testing

/// Runs `Jobs/connect` against real servers with tables of the names that the projects' migrations have.
@Suite("Connecting to a community's database", .aFewAtATime)
struct ConnectTests {
    /// The folder in which Debian keeps the programs of the PostgreSQL server; nil if it is not installed.
    static let postgres: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.map { "\(root)/\($0)/bin" }.first {
            FileManager.default.isExecutableFile(atPath: $0 + "/initdb") && Checkout.tool("psql") != nil
        }
    }()

    private static let hasMariaDB = ["mariadbd", "mariadb-install-db", "mariadb"].allSatisfy {
        Checkout.tool($0) != nil || FileManager.default.isExecutableFile(atPath: "/usr/sbin/\($0)")
    }

    private static let hasPool =
        Checkout.tool("pgbouncer") != nil || FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")

    /// Runs a script of bash, in which `connect` is the script of a site, and `tables` a folder of SQL.
    private func run(_ script: String, in workspace: Workspace) async throws -> CommandRun {
        var environment = workspace.environment
        environment["PATH"] = "\(Checkout.programs):\(environment["PATH"] ?? ""):/usr/sbin"
        environment["POSTGRES"] = Self.postgres
        let path = try workspace.write(
            """
            tables='\(Checkout.root)/Tests/IntegrationTests/Connect'
            connect() { "\(Checkout.root)/Jobs/connect/$1" "${@:2}"; }
            . "$tables/servers.sh"
            \(script)

            """, to: "script.sh")
        return try await RunningCommand("/bin/bash", [path], environment: environment, input: nil, in: workspace.folder)
            .wait()
    }

    /// A site whose tables are filled from files of SQL.
    enum Site: String, CaseIterable {
        case oldLemmy, newLemmy, discourse, pixelfed

        var script: String { self == .oldLemmy || self == .newLemmy ? "lemmy" : rawValue }

        var tables: [String] {
            switch self {
            case .oldLemmy: ["lemmy-0.19"]
            case .newLemmy: ["lemmy-0.19", "lemmy-1.0"]
            default: [rawValue]
            }
        }

        var schema: String {
            switch self {
            case .oldLemmy: "Lemmy 0.19"
            case .newLemmy: "Lemmy 1.0"
            case .discourse: "Discourse"
            case .pixelfed: "Pixelfed"
            }
        }

        /// The commands that fill the database of PostgreSQL.
        var filling: String { tables.map { "sql --file \"$tables/\($0).sql\"" }.joined(separator: "\n") }

        /// The GRANT lines of the article.
        func grants(suffix: String = "") throws -> String {
            let article = try MarkdownDocument("\(MarkdownDocument.catalog)/FromYourCommunity.md")
            let block = article.blocks.first { $0.lines.contains("# \(schema)\(suffix)") }
            return try #require(block).lines.joined(separator: "\n")
        }

        /// All that the catalog has, but for the times of most.
        var expected: [String] {
            switch self {
            case .oldLemmy, .newLemmy: ConnectTests.lemmy
            case .discourse: ConnectTests.discourse
            case .pixelfed: ConnectTests.pixelfed
            }
        }
    }

    private static let content = """
        SELECT 'group ' || group_id || ' ' || coalesce(title, '-') FROM groups
        UNION ALL SELECT 'user ' || user_id || ' ' || coalesce(name, '-') || ' ' || coalesce(listed, '-') FROM users
        UNION ALL SELECT 'photo ' || substr(photo_id, 1, 30) || ' ' || coalesce(user_id, '-') || ' '
            || coalesce(tags, '-') FROM photos LEFT JOIN users USING (user_key)
        UNION ALL SELECT 'member ' || group_id || ' ' || user_id || ' ' || coalesce(joined_at, '-')
            FROM memberships JOIN groups USING (group_key) JOIN users USING (user_key)
        UNION ALL SELECT 'pool ' || group_id || ' ' || substr(photo_id, 1, 30)
            FROM pools JOIN groups USING (group_key) JOIN photos USING (photo_key)
        UNION ALL SELECT 'favourite ' || user_id || ' ' || substr(photo_id, 1, 30)
            FROM favourites JOIN users USING (user_key) JOIN photos USING (photo_key)
        UNION ALL SELECT 'follow ' || u.user_id || ' ' || f.user_id
            FROM follows JOIN users AS u USING (user_key) JOIN users AS f ON f.user_key = followed_key
        UNION ALL SELECT 'post ' || group_id || ' ' || user_id || ' ' || posted_at || ' ' || answers
            FROM posts JOIN groups USING (group_key) JOIN users USING (user_key)
        ORDER BY 1
        """

    private func content(_ workspace: Workspace) throws -> [String] {
        let rows = try workspace.database().prepare(Self.content)
        var lines: [String] = []
        while try rows.step() { lines.append(rows.text(0)) }
        return lines
    }

    private func hasSecrets(_ workspace: Workspace) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: workspace.folder).contains { name in
            guard name.hasPrefix("catalog.sqlite") else { return false }
            let content = try Data(contentsOf: URL(fileURLWithPath: workspace.path(name)))
            return content.range(of: Data("secret".utf8)) != nil
        }
    }

    @Test(
        "What is public is imported by a role that may read little else; again, nothing changes",
        .enabled(if: postgres != nil, "PostgreSQL is not installed"), arguments: Site.allCases)
    func mapping(site: Site) async throws {
        let workspace = try Workspace()
        let run = try await run(
            """
            start_postgres
            \(site.filling)
            \(try site.grants())
            connect \(site.script) "postgres://coterie_reader@/app?host=$folder"
            echo again
            connect \(site.script) "postgres://coterie_reader@/app?host=$folder"
            """, in: workspace)
        try #require(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        #expect(try content(workspace) == site.expected)
        #expect(try !hasSecrets(workspace))
        let again = try #require(run.text.split(separator: "again\n", maxSplits: 1).last).split(separator: "\n")
        let kinds = again.filter { $0.contains(" rows, ") }
        #expect(kinds.count >= 7 && kinds.allSatisfy { $0.contains(" 0 new or changed, ") }, "\(run.testDescription)")
        #expect(run.text.contains("read from \(site.schema)"))
    }

    @Test(
        "MariaDB gives the same as PostgreSQL, whatever the limits of the server and the settings at home",
        .enabled(if: hasMariaDB, "mariadb-server is not installed"),
        arguments: ["p%22w%5C%40%C3%A4"])
    func mariaDB(password: String) async throws {
        let workspace = try Workspace()
        let run = try await run(
            #"""
            start_mariadb
            root_sql app <"$tables/pixelfed.sql"
            mariadb() { command mariadb --no-defaults --user root --socket "$folder/m" --default-character-set=utf8mb4 app; }
            \#(try Site.pixelfed.grants(suffix: " in MariaDB"))
            mariadb <<<'ALTER USER coterie_reader@localhost IDENTIFIED BY "p\"w\\@ä";'
            mariadb <<<'SET GLOBAL sql_select_limit = 1, GLOBAL group_concat_max_len = 8;'
            mariadb <<<'SET GLOBAL max_statement_time = 0.001, GLOBAL init_connect = "SET NAMES latin1";'
            printf '[client]\nuser = stranger\n[mysql]\nskip-column-names\n' >.my.cnf
            export HOME=$PWD CONNECT_ADDRESS="mysql://coterie_reader:\#(password)@localhost/app?socket=$folder/m"
            connect pixelfed
            """#, in: workspace)
        try #require(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        #expect(try content(workspace) == Self.pixelfed)
        #expect(try !hasSecrets(workspace))
    }

    @Test(
        "Neither limits of the role, nor a pool of connections, nor what the planner expects count, and none is changed",
        .enabled(if: postgres != nil && hasPool, "PostgreSQL or PgBouncer is not installed"))
    func limits() async throws {
        let workspace = try Workspace()
        let run = try await run(
            """
            start_postgres
            \(Site.oldLemmy.filling)
            \(try Site.oldLemmy.grants())
            sql <<'END'
            ALTER ROLE coterie_reader SET lock_timeout = '100ms';
            ALTER ROLE coterie_reader SET statement_timeout = '3s';
            ALTER ROLE coterie_reader SET session_preload_libraries = 'auto_explain';
            ALTER ROLE coterie_reader SET auto_explain.log_min_duration = 0;
            END
            start_pgbouncer
            # The lock ends when the last kind has waited for longer than the role may.
            sql <<'END' &
            BEGIN;
            LOCK comment;
            DO $$ BEGIN
                WHILE NOT EXISTS (SELECT FROM pg_stat_activity
                    WHERE wait_event_type = 'Lock' AND query_start < clock_timestamp() - interval '4s') LOOP
                    PERFORM pg_sleep(0.1), pg_stat_clear_snapshot();
                END LOOP;
            END $$;
            END
            until [ "$(sql -c "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted")" -gt 0 ]; do
                sleep 0.1
            done
            export PGPORT=6432
            connect lemmy "postgres://coterie_reader@/app?host=$folder"
            PGUSER=coterie_reader sql -c "SHOW enable_nestloop" -c "SHOW lock_timeout" -c "SHOW statement_timeout"
            grep -c "Hash Join" "$folder/log"
            grep -c "Nested Loop" "$folder/log" || true
            """, in: workspace)
        try #require(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        #expect(try content(workspace) == Self.lemmy)
        let end = run.lines.suffix(5)
        #expect(Array(end.prefix(3)) == ["on", "100ms", "3s"], "\(run.testDescription)")
        #expect(end.dropFirst(3).map { $0 != "0" } == [true, false], "\(run.testDescription)")
    }

    @Test(
        "After changes, a run takes these and no others; nsfw is an option",
        .enabled(if: postgres != nil, "PostgreSQL is not installed"))
    func changes() async throws {
        let workspace = try Workspace()
        let run = try await run(
            """
            start_postgres
            \(Site.oldLemmy.filling)
            connect lemmy
            sql --command "UPDATE post SET removed = true WHERE id = 4; UPDATE community SET title = 'Owls' WHERE id = 1"
            echo later
            connect lemmy
            connect lemmy --nsfw --dry-run
            """, in: workspace)
        try #require(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        let later = run.text.split(separator: "later\n")[1].split(separator: "\n")
        #expect(later[0].hasPrefix("groups: 2 rows, 1 new or changed, 1 unchanged"), "\(run.testDescription)")
        #expect(later[1].hasPrefix("users: 4 rows, 0 new or changed"))
        #expect(later.contains { $0.hasPrefix("groups: 3 rows, 1 new or changed") && $0.contains("dry run") })
        let post = "post https://a.example/c/owls https://a.example/u/ann 1714816800 0"
        let gone = Self.lemmy.filter { $0.contains("md5:") || $0 == post }
        let changed = Self.lemmy.filter { !gone.contains($0) }.map { $0.replacing("Owls 🦉", with: "Owls") }
        #expect(gone.count == 5)
        #expect(try content(workspace) == changed)
    }

    @Test(
        "If the database goes away in the middle, nothing is changed",
        .enabled(if: postgres != nil, "PostgreSQL is not installed"))
    func goneAway() async throws {
        let workspace = try Workspace()
        let run = try await run(
            """
            start_postgres
            \(Site.oldLemmy.filling)
            connect lemmy >first
            sql --command "UPDATE community SET title = 'changed'; DELETE FROM community_follower WHERE person_id = 1"
            # The last kind waits for the lock, so all others have been read.
            sql --command "BEGIN; LOCK comment; SELECT pg_sleep(200)" >locker 2>&1 &
            until [ "$(sql -c "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted")" -gt 0 ]; do
                sleep 0.1
            done
            connect lemmy &
            until [ "$(sql -c "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")" -gt 0 ]; do
                sleep 0.1
            done
            postgres --mode immediate stop
            wait $!
            """, in: workspace)
        #expect(run.exitCode == CommandRun.ExitCode.tryLater, "\(run.testDescription)")
        #expect(run.errors.contains("nothing was changed: the database did not answer to the end"))
        #expect(try content(workspace) == Self.lemmy)
    }

    @Test(
        "A refusal names the version, the column, the program or the right, and changes nothing",
        .enabled(if: postgres != nil, "PostgreSQL is not installed"))
    func refusals() async throws {
        let workspace = try Workspace()
        let run = try await run(
            """
            start_postgres
            \(Site.oldLemmy.filling)
            refused() { connect lemmy "$@" >out 2>&1 && exit 99 || echo "$? $(tail -n 1 out) $(grep -c '"hidden" does' out)"; }
            refused mysql://a@b/c
            mkdir few && for program in bash cat dirname basename; do ln -s "$(command -v $program)" few; done
            (PATH=$PWD/few; connect lemmy 2>&1) || true
            sql --command "CREATE ROLE stranger LOGIN"
            refused "postgres://stranger@/app?host=$folder"
            sql --command "ALTER TYPE community_visibility RENAME VALUE 'Public' TO 'Open'"
            refused
            sql --command "ALTER TYPE community_visibility RENAME VALUE 'Open' TO 'Public'"
            sql --command "ALTER TABLE community RENAME hidden TO unseen"
            refused
            sql --command "ALTER TABLE community RENAME unseen TO hidden; ALTER TABLE comment ENABLE ROW LEVEL SECURITY"
            \(try Site.oldLemmy.grants())
            refused "postgres://coterie_reader@/app?host=$folder"
            sql --command "UPDATE __diesel_schema_migrations SET version = '209901010000' WHERE version LIKE '2025%'"
            refused
            sql --command "DELETE FROM __diesel_schema_migrations WHERE version LIKE '2099%'"
            refused
            """, in: workspace)
        try #require(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        let lines = run.lines
        try #require(lines.count == 8, "\(run.testDescription)")
        #expect(lines[0].hasPrefix("64 lemmy: Lemmy keeps its data in PostgreSQL"))
        #expect(lines[1] == "lemmy: psql is missing: install the Debian package postgresql-client")
        #expect(lines[2].hasPrefix("65 lemmy: nothing was changed: the role may not read this"))
        // A value that an enumeration lacks, and a column.
        for (line, columns) in [(lines[3], 0), (lines[4], 1)] {
            #expect(line.hasPrefix("65 lemmy: nothing was changed: this is not the schema that is known of Lemmy 0.19"))
            #expect(line.hasSuffix(" (20250729152743) \(columns)"))
        }
        // A policy would hide rows.
        #expect(lines[5].hasPrefix("65 lemmy: nothing was changed: the role may not read this"))
        #expect(lines[6].hasPrefix("65 lemmy: nothing was changed: the migration 209901010000 is newer than"))
        #expect(lines[7].hasPrefix("65 lemmy: nothing was changed: the migration \"20231206180359\" is older"))
        #expect(!FileManager.default.fileExists(atPath: workspace.catalog))
    }
}
