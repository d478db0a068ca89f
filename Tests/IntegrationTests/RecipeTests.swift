import Foundation
import SQLite
import Testing

/// Runs the recipes of "Getting your data in" for databases as they stand there.
@Suite("Recipes for databases and lakes", .aFewAtATime)
struct RecipeTests {
    private static let article = "\(MarkdownDocument.catalog)/GettingYourDataIn.md"

    /// The blocks that this suite runs, as the article marks them, and that use a program.
    private static func blocks(using program: String) throws -> [String] {
        try MarkdownDocument(article).blocks.filter { block in
            block.reasonNotToRun?.contains("RecipeTests") == true && block.lines.contains { $0.contains(program) }
        }.map { $0.lines.joined(separator: "\n") }
    }

    private static func isThere(_ program: String) -> Bool {
        ["/usr/bin/", "/usr/local/bin/", "/bin/"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + program)
        }
    }

    /// Where Debian keeps the programs of the PostgreSQL server; nil if it is not installed.
    private static let serverPrograms: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.map { "\(root)/\($0)/bin" }.first {
            FileManager.default.isExecutableFile(atPath: $0 + "/initdb") && isThere("psql")
        }
    }()

    /// Runs a script of bash, in which `coterie` is the program that was built.
    private func run(_ script: String, in workspace: Workspace, settings: [String: String] = [:]) async throws
        -> CommandRun
    {
        var environment = workspace.environment.merging(settings) { $1 }
        let folder = URL(fileURLWithPath: Checkout.program).deletingLastPathComponent().path
        environment["PATH"] = "\(folder):\(environment["PATH"] ?? "")"
        let path = try workspace.write("set -euo pipefail\n" + script + "\n", to: "script.sh")
        return try await RunningCommand(
            "/bin/bash", [path], environment: environment, input: nil, in: workspace.folder
        ).wait()
    }

    private func memberships(_ workspace: Workspace) throws -> [String] {
        let rows = try workspace.database().prepare(
            """
            SELECT group_id || ' ' || user_id || ' ' || coalesce(joined_at, '-') FROM memberships
            JOIN groups USING (group_key) JOIN users USING (user_key) ORDER BY 1
            """)
        var lines: [String] = []
        while try rows.step() { lines.append(rows.text(0)) }
        return lines
    }

    @Test(
        "PostgreSQL, whole and what was added",
        .enabled(if: serverPrograms != nil, "PostgreSQL is not installed"))
    func postgres() async throws {
        let programs = try #require(Self.serverPrograms)
        let blocks = try Self.blocks(using: "psql")
        try #require(blocks.count == 2)
        let workspace = try Workspace()
        // The server does not run as root.
        let owner = geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups" : ""
        let sockets = workspace.path("s")
        let script = """
            chmod 755 .
            mkdir s && chmod 777 s
            as_owner() { (cd s && \(owner) "$@"); }
            as_owner \(programs)/initdb --auth trust --username app --no-sync "$PGHOST/data" >/dev/null
            data="$PGHOST/data"
            as_owner \(programs)/pg_ctl --pgdata "$data" --log "$PGHOST/log" --wait --silent \\
                --options "-k '$PGHOST' -c listen_addresses='' -c fsync=off" start
            trap 'as_owner \(programs)/pg_ctl --pgdata "$data" --mode immediate --silent stop' EXIT
            psql --quiet --set ON_ERROR_STOP=1 <<'END'
            CREATE TABLE app_groups (id int PRIMARY KEY, slug text, name text, is_public bool, created_at timestamptz);
            CREATE TABLE app_members (group_id int, user_id text, joined_at timestamptz);
            INSERT INTO app_groups VALUES (1, 'alps', 'The "Alps", all of them', true, '2024-05-01 12:00:00+02'),
                (2, 'secret', E'two\\nlines', false, NULL);
            INSERT INTO app_members VALUES (1, 'ann', '2024-05-01 10:00:00.5+00'), (1, 'bob', NULL),
                (2, 'ann', '2024-05-02 10:00:00+00'), (2, 'eve;', '2024-05-02 10:00:00+00');
            END
            \(blocks[0])
            sqlite3 -readonly "$COTERIE_CATALOG" 'SELECT group_id, title, visibility, created_at FROM groups ORDER BY 1'
            psql --quiet --command "INSERT INTO app_members VALUES (2, 'new', now())"
            psql --quiet --command "DELETE FROM app_members WHERE user_id = 'bob'"
            \(blocks[1])
            sqlite3 -readonly "$COTERIE_CATALOG" 'SELECT count(*) FROM memberships'
            \(blocks[0])
            """
        let settings = ["PGHOST": sockets, "PGUSER": "app", "PGDATABASE": "postgres", "TZ": "UTC"]
        let run = try await run(script, in: workspace, settings: settings)
        try #require(run.exitCode == 0, "\(run.testDescription)")
        #expect(run.text.contains("alps|The \"Alps\", all of them|0|1714557600"), "\(run.testDescription)")
        #expect(run.text.contains("secret|two\nlines|1|"))
        #expect(run.text.contains("\n5\n"))
        let rows = try memberships(workspace)
        #expect(rows.count == 4)
        #expect(Array(rows.prefix(1)) == ["alps ann 1714557600"])
        #expect(rows[1] == "secret ann 1714644000" && rows[2] == "secret eve; 1714644000")
        #expect(rows[3].hasPrefix("secret new 1"))
    }

    @Test("SQLite, whole and what was added", .enabled(if: isThere("sqlite3"), "sqlite3 is not installed"))
    func sqlite() async throws {
        let blocks = try Self.blocks(using: "sqlite3")
        try #require(blocks.count == 1)
        let workspace = try Workspace()
        let script = """
            sqlite3 app.sqlite "CREATE TABLE members (group_id, user_id, joined_at);
                INSERT INTO members VALUES ('alps', 'ann', '2024-05-01 10:00:00'), ('alps', 'b,\\"ob', NULL),
                ('sea', 'new', datetime('now'))"
            \(blocks[0])
            """
        let run = try await run(script, in: workspace)
        try #require(run.exitCode == 0, "\(run.testDescription)")
        #expect(run.lines.contains { $0.hasPrefix("memberships: 1 rows, 0 new or changed, 1 unchanged") })
        let rows = try memberships(workspace)
        #expect(rows.count == 3 && rows[0] == "alps ann 1714557600" && rows[1] == "alps b,\"ob -", "\(rows)")
    }

    /// A virtual environment with DuckDB; nil if it cannot be had.
    private static let lake = PythonEnvironment.folder(
        "recipes", test: #""$0/bin/python" -c 'import duckdb'"#, installing: "duckdb")

    @Test("Parquet, whole and what was added", .enabled(if: lake != nil, "DuckDB cannot be installed"))
    func parquet() async throws {
        let folder = try #require(Self.lake)
        let blocks = try Self.blocks(using: "duckdb")
        try #require(blocks.count == 1)
        let workspace = try Workspace()
        let script = """
            ln -s "\(folder)" venv
            venv/bin/python -c "import duckdb; duckdb.sql('''COPY (SELECT * FROM (VALUES
                ('alps', 'ann', TIMESTAMP '2024-05-01 10:00:00.25'), ('alps', 'b,ob', NULL),
                ('sea', 'new', now()::timestamp)) AS t(group_id, user_id, joined_at))
                TO 'members.parquet' (FORMAT parquet)''')"
            \(blocks[0])
            coterie import memberships members.parquet 2>&1 | grep 'this is Parquet'
            """
        let run = try await run(script, in: workspace, settings: ["TZ": "UTC"])
        // The last line of the script fails as the import in it must.
        #expect(run.text.contains("this is Parquet"), "\(run.testDescription)")
        #expect(run.lines.contains { $0.hasPrefix("memberships: 1 rows, 0 new or changed, 1 unchanged") })
        let rows = try memberships(workspace)
        #expect(rows.count == 3 && rows[0] == "alps ann 1714557600" && rows[1] == "alps b,ob -", "\(rows)")
    }
}
