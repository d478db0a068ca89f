"""What recompute.py has Spark do: clean, number and sort the data of a lake, and compare groups."""

import json
import os
import re
import resource
import subprocess
import time
import urllib.parse

from pyspark import AccumulatorParam
from pyspark.sql import functions as F
from pyspark.sql import types as T

import coterie_stages
import coterie_tables

COLUMNS = {
    "groups": ["group_id", "visibility"],
    "users": ["user_id", "interests"],
    "photos": ["photo_id", "user_id", "visibility", "tags", "latitude", "longitude"],
    "memberships": ["group_id", "user_id", "joined_at"],
    "pools": ["group_id", "photo_id", "added_at"],
}
# What comes after the columns of a record: which of them it has, and its place in the input.
PLACE = ("fields", "file", "block", "line")
RELATIONS = {"memberships": ("user_id", "joined_at", "users"), "pools": ("photo_id", "added_at", "photos")}
TEXT = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".txt", ".gz")


class Pairs(AccumulatorParam):
    def zero(self, _):
        return (0, 0)

    def addInPlace(self, one, other):
        return (one[0] + other[0], one[1] + other[1])


class Lake:
    """The data, from its sources to a folder of tables.

    Every step is written to the folder of the run before the next begins: a stage that is run again reads the same.
    """

    def __init__(self, session, options, folder, say):
        self.session, self.options, self.folder, self.say = session, options, folder, say
        self.left_out = {}
        self.stages = coterie_stages.Stages(session, say)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def stored(self, name, rows):
        rows.write.mode("overwrite").parquet("file://" + self.path("steps", name))
        self.stages.report(name)
        return self.session.read.parquet("file://" + self.path("steps", name))

    # Cleaning

    def clean(self):
        self.kinds = {kind: self.cleaned(kind, [s for s in getattr(self.options, kind).split(",") if s])
                      for kind in COLUMNS}

    def cleaned(self, kind, sources):
        """The records of a kind as an import would take them, with their place in the input."""
        types = [T.StructField(name, T.LongType() if name in coterie_tables.TIMES else T.DoubleType()
                               if name in coterie_tables.DEGREES else T.StringType()) for name in COLUMNS[kind]]
        schema = T.StructType(types + [T.StructField(name, T.LongType()) for name in PLACE])
        rejected = self.session.sparkContext.accumulator((0, 0), Pairs())
        parts, number = [], 0
        for source in sources:
            for rows, file_count, header, is_table in self.readings(kind, source):
                cleaning = coterie_tables.Cleaning(
                    self.options.program, kind, self.options.timezone, COLUMNS[kind], header, is_table, rejected)
                rows = rows.withColumn("file", F.col("file") + number) \
                    .withColumn("block", F.col("block").cast("long"))
                parts.append(rows.mapInArrow(running(cleaning), schema))
                number += file_count
        if not parts:
            return self.session.createDataFrame([], schema)
        rows = parts[0]
        for part in parts[1:]:
            rows = rows.unionAll(part)
        rows = self.stored(kind, rows)
        good, bad = rejected.value
        self.say(f"{kind}: {good} rows, {bad} rejected")
        if bad > self.options.maximum_rejected / 100 * (good + bad):
            raise SystemExit(f"{kind}: {bad} of {good + bad} rows are rejected; the rest was not used")
        return rows

    def readings(self, kind, source):
        """The rows of a source, how many files they are of, the first line of text files, and whether it is a table.

        Rows are lines of text, or columns of a table as text. Each has the number of its file, in the order of names.
        """
        block = F.col("_metadata.file_block_start").alias("block")
        first = F.lit(0).alias("file")
        if source.startswith("table:"):
            rows = self.texts(kind, self.session.read.table(source[6:]), F.lit(0).alias("block"), first)
            yield rows, 1, None, True
            return
        files = sorted(self.session.read.text(source).inputFiles())
        if not files[0].endswith(TEXT):
            # Spark writes one slash in one place, and three in another.
            path = F.regexp_replace("_metadata.file_path", "^([^:/]+):/+", "$1:/").alias("path")
            rows = self.texts(kind, self.session.read.parquet(source), block, path)
            numbers = [(re.sub("^([^:/]+):/+", r"\1:/", file), number) for number, file in enumerate(files)]
            numbers = self.session.createDataFrame(numbers, "path string, number long")
            missing = F.raise_error(F.concat(F.lit("Spark did not list this file: "), "path")).cast("long")
            rows = rows.join(F.broadcast(numbers), "path", "left").withColumn("file", F.coalesce("number", missing))
            yield rows.drop("path", "number"), len(files), None, True
            return
        for file in files:
            # Titles have ends of lines in some files, and groups are few: their files are taken as they are.
            is_whole = kind == "groups" or self.options.multi_line
            lines = self.session.read.option("wholetext", is_whole).text(file).select("value", block, first)
            header = None
            if not is_whole and ".json" not in file and ".ndjson" not in file:
                row = self.session.read.text(file).filter(F.trim("value") != "") \
                    .select(F.col("value").cast("binary")).head()
                if row is None:
                    continue
                header = bytes(row[0])
            yield lines, 1, header, False

    def texts(self, kind, rows, *places):
        """The columns of a kind that the rows have, as an import would find them in a file, and other columns."""
        def text(field):
            column = F.col(f"`{field.name}`")
            if isinstance(field.dataType, T.ArrayType):
                return F.array_join(column, ";")
            if isinstance(field.dataType, T.TimestampType):
                return F.unix_seconds(column).cast("string")
            return column.cast("string")
        known = [field for field in rows.schema.fields if field.name in ALL_COLUMNS[kind]]
        return rows.select(*[text(field).alias(field.name) for field in known], *places)

    # Groups

    def group_files(self):
        """The sources of groups as files that "coterie import groups" reads."""
        for source in filter(None, self.options.groups.split(",")):
            rows = self.session.read.table(source[6:]) if source.startswith("table:") else None
            files = [] if rows is not None else sorted(self.session.read.text(source).inputFiles())
            if files and files[0].endswith(TEXT):
                for number, file in enumerate(files):
                    if urllib.parse.urlparse(file).scheme == "file":
                        yield urllib.parse.unquote(urllib.parse.urlparse(file).path)
                        continue
                    content = self.session.read.format("binaryFile").load(file).head().content
                    path = self.path(f"groups-{number}-{os.path.basename(file)}")
                    with open(path, "wb") as copy:
                        copy.write(content)
                    yield path
                continue
            rows = rows if rows is not None else self.session.read.parquet(source)
            path = self.path("groups.jsonl")
            with open(path, "w") as copy:
                for row in self.texts("groups", rows).toJSON().toLocalIterator():
                    copy.write(row + "\n")
            yield path

    def found_groups(self):
        """The groups that only entries name."""
        known = self.kinds["groups"].select("group_id").distinct()
        return [row.group_id for row in self.named_groups().join(known, "group_id", "left_anti").toLocalIterator()]

    def named_groups(self):
        entries = [self.kinds[table].select("group_id") for table in RELATIONS]
        return entries[0].unionAll(entries[1]).distinct()

    # Tables

    @staticmethod
    def order():
        return F.struct("file", "block", "line")

    def last(self, column):
        """What the last record says; an earlier one if it says nothing."""
        return self.last_of(column, F.col(column).isNotNull())

    def last_given(self, kind, column):
        """What the last record says that has the field, also if that is nothing."""
        return self.last_of(column, F.col("fields").bitwiseAND(1 << COLUMNS[kind].index(column)) != 0)

    def last_of(self, column, is_given):
        return F.max_by(F.when(is_given, F.col(column)), F.when(is_given, self.order())).alias(column)

    def write_tables(self):
        kinds = self.kinds
        groups = kinds["groups"].groupBy("group_id").agg(self.last("visibility"))
        groups = groups.join(self.named_groups(), "group_id", "full_outer") \
            .select(F.col("group_id").alias("id"), F.coalesce("visibility", F.lit("public")).alias("visibility"))
        groups = self.stored("all-groups", groups)
        shown = groups.filter("visibility = 'public'")
        self.groups = self.numbered("groups", shown, [("id", "text", "id")])

        stated = kinds["users"].groupBy(F.col("user_id").alias("id")).agg(self.last_given("users", "interests"))
        others = kinds["memberships"].select(F.col("user_id").alias("id")) \
            .unionAll(kinds["photos"].filter("user_id IS NOT NULL").select(F.col("user_id").alias("id"))).distinct()
        users = stated.join(others, "id", "full_outer").select("id", "interests")
        users = self.numbered("users", users, [("id", "text", "id"), ("interests", "text", "interests")])

        photos = kinds["photos"].groupBy(F.col("photo_id").alias("id")).agg(
            self.last("visibility"),
            *[self.last_given("photos", name) for name in ("user_id", "tags", "latitude", "longitude")])
        others = kinds["pools"].select(F.col("photo_id").alias("id")).distinct()
        photos = self.stored("all-photos", photos.join(others, "id", "full_outer"))
        hidden = photos.filter("visibility = 'private'").select("id")
        owners = users.select(F.col("id").alias("user_id"), (F.col("number") + 1).alias("owner"))
        photos = photos.filter("visibility IS NULL OR visibility <> 'private'").join(owners, "user_id", "left")
        photos = self.numbered("photos", photos, [
            ("owner", "u32", "owner"), ("tags", "text", "tags"), ("latitude", "f64", "latitude"),
            ("longitude", "f64", "longitude")])

        self.write_entries("memberships", users)
        self.write_entries("pools", photos)
        self.write_manifest()

    def numbered(self, table, rows, columns):
        """Writes a table in the order of the bytes of ids; returns the ids and their numbers."""
        rows = self.stored(f"sorted-{table}", rows)
        rows = rows.repartitionByRange(self.part_count(rows.count()), "id").sortWithinPartitions("id")
        schema = "id string, part long, index long"
        writing = coterie_tables.Writing(self.path("tables"), table, columns, key="id")
        ids = self.stored(f"ids-{table}", rows.mapInArrow(running(writing), schema))
        parts, first, firsts = self.parts(table), 0, []
        for part in parts:
            firsts.append((int(part["file"].split("-")[1].split(".")[0]), first))
            first += part["rows"]
        firsts = self.session.createDataFrame(firsts or [(0, 0)], "part long, first long")
        return ids.join(F.broadcast(firsts), "part").select("id", (F.col("index") + F.col("first")).alias("number"))

    def part_count(self, rows):
        return max(1, -(-rows // self.options.rows_per_file))

    def write_entries(self, table, entries):
        """Numbers the entries of a relation, drops what is private or twice there, and writes them sorted."""
        id_column, time_column, _ = RELATIONS[table]
        rows = self.kinds[table].groupBy(id_column, "group_id").agg(self.last(time_column).alias("time"))
        entries = entries.select(F.col("id").alias(id_column), F.col("number").alias("entry"))
        groups = self.groups.select(F.col("id").alias("group_id"), F.col("number").alias("group"))
        # Groups go to all machines: shuffled by group, the entries of the largest one would make one task.
        rows = rows.join(entries, id_column, "left").join(F.broadcast(groups), "group_id", "left")
        rows = self.stored(f"numbered-{table}", rows.select("group", "entry", "time"))
        counts = rows.agg(
            F.count_if(F.col("group").isNull()), F.count_if(F.col("group").isNotNull() & F.col("entry").isNull()),
            F.count_if(F.col("group").isNotNull() & F.col("entry").isNotNull()), F.count("time")).head()
        self.left_out[table] = {"ofPrivateGroups": counts[0], "ofPrivatePhotos": counts[1]}
        columns = [("group", "u32", "group"), ("entry", "u32", "entry")]
        if counts[3]:
            columns.append(("time", "i64", "time"))
        rows = rows.filter(F.col("group").isNotNull() & F.col("entry").isNotNull())
        rows = rows.repartitionByRange(self.part_count(counts[2]), "group", "entry") \
            .sortWithinPartitions("group", "entry")
        writing = coterie_tables.Writing(self.path("tables"), table, columns)
        rows.mapInArrow(running(writing), "rows long").collect()
        self.stages.report(f"sorted-{table}")
        self.say(f"{table}: {counts[2]} entries, {counts[0]} of private groups, {counts[1]} private")

    def parts(self, table):
        """The rows of the manifest, in the order of the parts."""
        folder = self.path("tables")
        names = sorted(name for name in os.listdir(folder) if name.startswith(table + "-") and name.endswith(".json"))
        rows = []
        for name in names:
            with open(os.path.join(folder, name)) as file:
                rows.append(json.load(file))
        return rows

    def write_manifest(self):
        tables = {table: self.parts(table) for table in ("groups", "users", "photos", *RELATIONS)}
        content = {"format": 1, "tables": tables, "leftOut": self.left_out}
        with open(self.path("tables", "manifest.json.partial"), "w") as file:
            json.dump(content, file)
        os.replace(file.name, self.path("tables", "manifest.json"))


ALL_COLUMNS = {
    **COLUMNS,
    "groups": ["group_id", "title", "description", "visibility", "topics", "join_policy", "created_at",
               "last_active_at"],
    "users": ["user_id", "name", "interests"],
    "photos": ["photo_id", "user_id", "visibility", "taken_at", "uploaded_at", "tags", "latitude", "longitude"],
}


def running(work):
    """A function for Spark, which takes no objects that can be called."""
    return lambda batches: work(batches)


def compare(session, program, order, rows_at_once):
    """Has the parts of an order done, each by a process of a worker; returns their seconds, and processor seconds."""
    threads = session.conf.get("spark.task.cpus", "1")

    def work(part):
        began, used = time.monotonic(), processor_seconds()
        command = [program, "kernel", order["search"], "--rows", f"{part['first']}-{part['end']}", "--output",
                   part["block"], "--threads", threads, "--rows-at-once", str(rows_at_once)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
        return time.monotonic() - began, processor_seconds() - used

    parts = order["parts"]
    return session.sparkContext.parallelize(parts, len(parts)).map(work).collect()


def processor_seconds():
    """What the processes that this one waited for have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
