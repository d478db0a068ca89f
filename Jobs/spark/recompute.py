#!/usr/bin/env python3
"""The weekly recompute of Coterie on Spark, for data that one machine does not hold or that is in a data lake.

    spark-submit Jobs/spark/recompute.py --groups groups.tsv --memberships 'lake/memberships/*.parquet' \\
        --pools table:lake.pools --catalog coterie.sqlite --store redis://host --work /shared/coterie

Sources are files, folders or patterns of CSV, TSV, JSON Lines or Parquet, or table:NAME; several are separated by
commas. The article "Past one machine" says what happens, and what it costs. What stands behind -- goes to
"coterie recompute".
"""

import argparse
import ctypes
import fcntl
import fnmatch
import glob
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ENTITIES = ("groups", "users", "photos")


def arguments():
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--program", default="coterie", help="the program, at the same path on all machines")
    kinds = json.loads(run(parser.parse_known_args()[0].program, "clean", "--kinds"))
    parser = argparse.ArgumentParser(
        parents=[parser], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(columns=kinds["columns"], relations=kinds["relations"])
    for kind in (*ENTITIES, *kinds["relations"]):
        parser.add_argument(f"--{kind}", metavar="SOURCE,…", default="", help=f"the {kind}")
    parser.add_argument("--catalog", default="coterie.sqlite", help="the catalog, which knows what happened since")
    parser.add_argument("--store", default="coterie-models", help="where the version is published")
    parser.add_argument("--work", required=True, help="a folder for temporary data that all workers can reach")
    parser.add_argument("--timezone", default="UTC", help="the zone of times without one")
    parser.add_argument("--ignore", metavar="NAME,…", default="", help="columns that do not tell another kind of file")
    parser.add_argument("--maximum-rejected", type=float, default=1, help="fail if more than this percentage is")
    parser.add_argument("--rejects", metavar="FOLDER", default=".", help="the folder for rejected rows, with reasons")
    parser.add_argument("--multi-line", action="store_true", help="quoted fields may have ends of lines: a file a task")
    parser.add_argument("--parts", type=int, help="parts of the comparison (default: 8 for each core, at least 64)")
    parser.add_argument("--rows-per-file", type=int, default=4_000_000, help="rows of a file of a table, about")
    parser.add_argument("--rows-at-once", type=int, default=256, help="see coterie kernel --help")
    parser.add_argument("--without-spark", action="store_true", help="the same on this machine, from text files")
    parser.add_argument("recompute", nargs="*", help="behind --: options of coterie recompute, such as --block-rows")
    return parser.parse_args()


def refuse_outputs_in_sources(options):
    """Ends the job if an output would be written to what it reads: the next run would take it for data."""
    for source in (s for kind in (*ENTITIES, *options.relations) for s in getattr(options, kind).split(",")):
        path = local(source)
        for name in ("rejects", "work", "store", "catalog") if path else ():
            output = local(getattr(options, name))
            # What the job makes there, by some names.
            made = [os.path.join(output, made) for made in ("", "coterie-run-1", *(
                f"{kind}-rejects{end}" for kind in (*ENTITIES, *options.relations)
                for end in (".csv", ".tsv", ".jsonl", "-2.csv", "-2.tsv", "-2.jsonl", "-reasons.tsv")))] if output else ()
            is_pattern = not os.path.exists(path)
            within = [os.path.realpath(found) + "/" for found in (glob.glob(path) if is_pattern else [path])]
            if output and ((output + "/").startswith(tuple(within)) or path in made
                           or is_pattern and any(fnmatch.fnmatchcase(file, path) for file in made)):
                say(f"--{name} {getattr(options, name)} is among the files of the source {source}: "
                    "name another place to write")
                sys.exit(64)


def local(place):
    """The real path of a place on this machine, whether it exists or not; none for another place."""
    place = re.sub("^file:(//)?(?=/)", "", place)
    return os.path.realpath(place) if place and not re.match(r"\w[\w+.-]*:", place) else None


class Work:
    """A folder of its own for the temporary data of one run, which goes away with it.

    What a killed run left goes with the next one: the lock says whether its owner lives.
    """

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        for old in glob.glob(os.path.join(folder, "coterie-run-*")):
            try:
                with open(os.path.join(old, "lock")) as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(old, ignore_errors=True)
            except OSError:
                pass
        self.path = os.path.join(os.path.abspath(folder), f"coterie-run-{time.time_ns()}")
        os.makedirs(self.path)
        self.lock = open(self.name("lock"), "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)

    def name(self, *parts):
        return os.path.join(self.path, *parts)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(*command):
    """Runs the program, which must succeed."""
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}; name the program with --program")
    if result.returncode:
        say(result.stderr.strip())
        sys.exit(result.returncode)
    return result.stdout.strip()


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def recompute(options, work, compare=None):
    """Runs "coterie recompute" on the tables; `compare` has a relation compared by others."""
    command = [options.program, "recompute", "--catalog", options.catalog, "--store", options.store,
               "--tables", work.name("tables"), *options.recompute]
    if compare:
        command += ["--share", work.name("share"), "--parts", str(options.parts)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               preexec_fn=die_with_parent)
    for line in process.stdout:
        if compare and line.startswith('{"parts":'):
            compare(json.loads(line))
            process.stdin.write("done\n")
            process.stdin.flush()
        else:
            print(line, end="", flush=True)
    if process.wait():
        sys.exit(process.returncode)


def import_files(options, kind, paths, catalog):
    os.makedirs(options.rejects, exist_ok=True)
    ignored = ",".join(name for name in options.ignore.split(",") if name and name not in options.columns[kind])
    say(run(options.program, "import", kind, *paths, "--catalog", catalog, "--timezone", options.timezone,
            *(["--ignore", ignored] if ignored else []),
            "--maximum-rejected", str(options.maximum_rejected),
            "--rejects", os.path.join(options.rejects, f"{kind}-rejects")))


def without_spark(options, work):
    """Imports the files into a catalog of its own, and writes the tables from that."""
    scratch = work.name("scratch.sqlite")
    for kind in (*ENTITIES, *options.relations):
        paths = [path for source in getattr(options, kind).split(",") if source
                 for path in ([source] if os.path.exists(source) else sorted(glob.glob(source)) or [source])]
        for catalog in [scratch] + [options.catalog] * (kind == "groups"):
            if paths:
                import_files(options, kind, paths, catalog)
    # Groups that only entries name are groups, too, if no file has groups.
    import sqlite3
    with sqlite3.connect(scratch) as catalog:
        names = [row[0] for row in catalog.execute("SELECT group_id FROM groups")]
    add_groups(options, work, names)
    run(options.program, "export", "tables", "--catalog", scratch, "--output", work.name("tables"))
    recompute(options, work)


def add_groups(options, work, names):
    """Adds groups to the catalog that entries name, unless a file of groups says which are public."""
    import sqlite3
    path = work.name("none.csv")
    with open(path, "w") as file:
        file.write("group_id,user_id\n")
    # Makes the catalog, or its missing tables. A file without a row changes nothing else, and is refused.
    command = [options.program, "import", "memberships", path, "--catalog", options.catalog]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 65:
        say(made.stderr.strip())
        sys.exit(made.returncode or 1)
    with sqlite3.connect(options.catalog) as catalog:
        is_described = catalog.execute("SELECT value FROM catalog_state WHERE name = 'groups.described'").fetchone()
        if is_described and is_described[0]:
            return
        added = catalog.executemany("INSERT OR IGNORE INTO groups (group_id) VALUES (?)", ((name,) for name in names))
        catalog.execute("UPDATE catalog_state SET value = value + ? WHERE name = 'changes'", (max(0, added.rowcount),))


def with_spark(options, work):
    from pyspark.sql import SparkSession
    sys.path.insert(0, HERE)
    import coterie_sources
    import coterie_spark
    import coterie_stages
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = (
        SparkSession.builder.appName("coterie recompute").config("spark.local.dir", work.name("spark"))
        .config("spark.sql.warehouse.dir", work.name("warehouse"))
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", 200_000)
        .config(map=coterie_sources.SETTINGS).getOrCreate())
    session.sparkContext.setLogLevel("ERROR")
    for module in glob.glob(os.path.join(glob.escape(HERE), "coterie_*.py")):
        session.sparkContext.addPyFile(module)
    if options.parts is None:
        options.parts = max(64, 8 * session.sparkContext.defaultParallelism)
    try:
        os.makedirs(work.name("tables"))
        lake = coterie_spark.Lake(session, options, work.path, say)
        lake.clean()
        if options.groups:
            import_files(options, "groups", list(lake.sources.group_files()), options.catalog)
        add_groups(options, work, lake.found_groups())
        lake.write_tables()

        def compare(order):
            began = time.monotonic()
            times = coterie_spark.compare(session, options.program, order, options.rows_at_once)
            for name, seconds in zip((f"in {time.monotonic() - began:.1f} s", "of processors"), zip(*times)):
                spread = coterie_stages.spread(len(seconds), (min(seconds), statistics.median(seconds), max(seconds)))
                say(f"{order['relation']} compared {name}: {spread}")

        recompute(options, work, compare)
    finally:
        session.stop()


def main():
    options = arguments()
    refuse_outputs_in_sources(options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with Work(options.work) as work:
        (without_spark if options.without_spark else with_spark)(options, work)


if __name__ == "__main__":
    main()
