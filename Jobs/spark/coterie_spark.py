"""What recompute.py has Spark do: clean, number and sort the data of a lake, and compare groups."""

import functools
import json
import os
import resource
import subprocess
import time

from pyspark import AccumulatorParam
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql import types as T

import coterie_rejects
import coterie_sources
import coterie_stages
import coterie_tables

# What is used of groups, users and photos; of relations, all columns are.
COLUMNS = {
    "groups": ["group_id", "visibility"],
    "users": ["user_id", "interests"],
    "photos": ["photo_id", "user_id", "visibility", "tags", "latitude", "longitude"],
}
# What comes after the columns of a record: which of them it has, and its place in the input.
PLACE = ("fields", "file", "block", "line")
# What is numbered, by column: its kind in the table, none if it is not there; and the field by which a record gives it,
# none if it does by saying something.
ENTITIES = {
    "groups": {"id": ("text", None), "visibility": (None, None)},
    "users": {"id": ("text", None), "interests": ("text", "interests")},
    "photos": {"visibility": (None, None), "owner": ("u32", "user_id"), "tags": ("text", "tags"),
               "latitude": ("f64", "latitude"), "longitude": ("f64", "longitude")},
}


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
        # By table: the kinds of its rows and of its entries. All but memberships and pools are there if they are given.
        self.relations = {table: relation for table, relation in options.relations.items()
                          if relation["isRequired"] or getattr(options, table)}
        self.columns = COLUMNS | {table: options.columns[table] for table in self.relations}
        self.times = {relation["timeColumn"] for relation in self.relations.values()}
        self.left_out = {}
        self.stages = coterie_stages.Stages(session, say)
        self.sources = coterie_sources.Sources(session, options, folder)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def stored(self, name, rows):
        rows.write.mode("overwrite").parquet("file://" + self.path("steps", name))
        self.stages.report(name)
        return self.session.read.parquet("file://" + self.path("steps", name))

    # Cleaning

    def clean(self):
        self.kinds = {kind: self.cleaned(kind, [s for s in getattr(self.options, kind).split(",") if s])
                      for kind in self.columns}

    def cleaned(self, kind, sources):
        """The records of a kind as an import would take them, with their place in the input."""
        types = [T.StructField(name, T.LongType() if name in self.times else T.DoubleType()
                               if name in coterie_tables.DEGREES else T.StringType()) for name in self.columns[kind]]
        schema = T.StructType(types + [T.StructField(name, T.LongType()) for name in PLACE])
        rejected = self.session.sparkContext.accumulator((0, 0), Pairs())
        rejects = coterie_rejects.Rejects(kind, self.path("rejects"), self.options.rejects)
        parts, number = [], 0
        for source in sources:
            files, readings = self.sources.readings(kind, source)
            rejects.files += files
            for rows, header, is_table in readings:
                cleaning = coterie_tables.Cleaning(
                    self.options.program, kind, self.options.timezone, self.options.ignore, self.columns[kind],
                    self.times, header, is_table, rejected, rejects.folder)
                rows = rows.withColumn("file", F.col("file") + number) \
                    .withColumn("block", F.col("block").cast("long"))
                parts.append(rows.mapInArrow(running(cleaning), schema))
            number += len(files)
        if not parts:
            return self.session.createDataFrame([], schema)
        rows = parts[0]
        for part in parts[1:]:
            rows = rows.unionAll(part)
        try:
            rows = self.stored(kind, rows)
        except PySparkException as error:
            # Spark names the file.
            if "[FAILED_READ_FILE" in str(error):
                coterie_sources.refuse(f"{kind}: " + str(error).partition("[FAILED_READ_FILE")[2].partition("] ")[2])
            raise
        good, bad = rejected.value
        reason = rejects.refusal()
        if reason or not good + bad:
            coterie_sources.refuse(f"{kind}: " + (reason or f"there is no row in {', '.join(sources)}"))
        self.say(f"{kind}: {good} rows, {bad} rejected{rejects.collect()}")
        if bad > self.options.maximum_rejected / 100 * (good + bad):
            coterie_sources.refuse(f"{kind}: {bad} of {good + bad} rows are rejected; the rest was not used")
        return rows

    # Groups

    def found_groups(self):
        """The groups that only entries name."""
        known = self.kinds["groups"].select("group_id").distinct()
        return [row.group_id for row in self.named_groups().join(known, "group_id", "left_anti").toLocalIterator()]

    def named_groups(self):
        """The groups that entries name; none if there are files of groups, which would say whether they are public."""
        return self.if_undescribed("groups", self.named("groups"))

    def named(self, kind):
        """The groups, users or photos that records of other kinds name."""
        places = [(table, column) for table, relation in self.relations.items()
                  for column, named in zip(self.columns[table], (relation["rows"], relation["entries"]))
                  if named == kind] + ([("photos", "user_id")] if kind == "users" else [])
        names = [self.kinds[table].select(F.col(column).alias(self.columns[kind][0])).filter(F.col(column).isNotNull())
                 for table, column in places]
        return functools.reduce(lambda some, others: some.unionAll(others), names).distinct()

    def if_undescribed(self, kind, named):
        return named.limit(0) if getattr(self.options, kind) else named

    # Tables

    def write_tables(self):
        kinds = self.kinds
        self.groups = self.numbered("groups", kinds["groups"], self.named_groups())
        users = self.numbered("users", kinds["users"], self.named("users"))
        owners = users.select(F.col("id").alias("user_id"), (F.col("number") + 1).alias("owner"))
        photos = kinds["photos"].join(owners, "user_id", "left")
        photos = self.numbered("photos", photos, self.if_undescribed("photos", self.named("photos")))
        # Groups go to all machines: shuffled by group, the entries of the largest one would make one task.
        numbers = {"groups": F.broadcast(self.groups), "users": users, "photos": photos}
        for table, relation in self.relations.items():
            self.write_entries(table, numbers[relation["rows"]], numbers[relation["entries"]])
        self.write_manifest()

    def numbered(self, table, records, named):
        """Writes a table in the order of the bytes of ids; returns the ids and their numbers.

        What is given as named by other records is there, too.
        """
        record_id, columns = F.col(self.columns[table][0]).alias("id"), ENTITIES[table]
        rows = records.select(record_id, *[name for name in columns if name != "id"], *PLACE)
        rows = self.stored(f"all-{table}", rows.unionByName(named.select(record_id), allowMissingColumns=True))
        rows = rows.repartitionByRange(self.part_count(rows.count()), "id") \
            .sortWithinPartitions("id", "file", "block", "line")
        fields = self.columns[table]
        bits = {name: field and fields.index(field) for name, (_, field) in columns.items() if name != "id"}
        writing = coterie_tables.Writing(
            self.path("tables"), table, {name: kind for name, (kind, _) in columns.items() if kind},
            coterie_tables.LastRecords(bits), goes_on=True)
        ids = self.stored(f"ids-{table}", rows.mapInArrow(running(writing), "id string, part long, index long"))
        parts, first, firsts = self.parts(table), 0, []
        for part in parts:
            firsts.append((int(part["file"].split("-")[1].split(".")[0]), first))
            first += part["rows"]
        firsts = self.session.createDataFrame(firsts or [(0, 0)], "part long, first long")
        return ids.join(F.broadcast(firsts), "part").select("id", (F.col("index") + F.col("first")).alias("number"))

    def part_count(self, rows):
        return max(1, -(-rows // self.options.rows_per_file))

    def write_entries(self, table, groups, entries):
        """Numbers pairs, of groups or users and their entries, drops what is private or twice there, and writes them
        sorted."""
        row_column, id_column, time_column = self.columns[table][:3]
        answers = self.relations[table].get("answerColumn")
        entries = entries.select(F.col("id").alias(id_column), F.col("number").alias("entry"))
        groups = groups.select(F.col("id").alias(row_column), F.col("number").alias("group"))
        rows = self.kinds[table].join(entries, id_column, "left").join(groups, row_column, "left")
        is_shown = F.col("group").isNotNull() & F.col("entry").isNotNull()
        names = [F.when(~is_shown, F.col(name)).alias(name) for name in (row_column, id_column)]
        rows = self.stored(f"numbered-{table}", rows.select(
            "group", "entry", F.col(time_column).alias("time"), "file", "block", "line", *names,
            *([F.col(answers).isNotNull().cast("long").alias(answers)] if answers else [])))
        hidden = rows.filter(~is_shown).select(row_column, id_column, F.col("group").isNull().alias("of_group"))
        hidden = hidden.distinct().agg(F.count_if("of_group"), F.count_if(~F.col("of_group"))).head()
        self.left_out[table] = {"ofPrivateGroups": hidden[0], "ofPrivatePhotos": hidden[1]}
        rows = rows.filter(is_shown).drop(row_column, id_column)
        count, count_with_time = rows.agg(F.count("entry"), F.count("time")).head()
        columns = {"group": "u32", "entry": "u32", **({"time": "i64"} if count_with_time else {}),
                   **({answers: "u32"} if answers else {})}
        # The workers sort: all that says the same entry again is in one partition.
        rows = rows.repartitionByRange(self.part_count(count), F.shiftleft("group", 32) + F.col("entry"))
        writing = coterie_tables.Writing(
            self.path("tables"), table, columns, coterie_tables.last_times if answers else coterie_tables.last_entries)
        count = sum(row.rows for row in rows.mapInArrow(running(writing), "rows long").collect())
        self.stages.report(f"sorted-{table}")
        self.say(f"{table}: {count} entries, {hidden[0]} of private groups, {hidden[1]} private")

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
        tables = {table: self.parts(table) for table in (*ENTITIES, *self.relations)}
        content = {"format": 1, "tables": tables, "leftOut": self.left_out}
        with open(self.path("tables", "manifest.json.partial"), "w") as file:
            json.dump(content, file)
        os.replace(file.name, self.path("tables", "manifest.json"))


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
