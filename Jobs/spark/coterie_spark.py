"""What recompute.py has Spark do: clean, number and sort the data of a lake, and compare groups."""

import functools
import json
import os
import re
import resource
import subprocess
import time
import urllib.parse

from py4j.protocol import Py4JJavaError
from pyspark import AccumulatorParam
from pyspark.sql import functions as F
from pyspark.sql import types as T

import coterie_rejects
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
NUMBERS = (T.FloatType, T.DoubleType, T.DecimalType)
# Where Spark keeps its own types of the columns of a Parquet file.
ROW_METADATA = "org.apache.spark.sql.parquet.row.metadata"
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
        # By table: the kinds of its rows and of its entries. All but memberships and pools are there if they are given.
        self.relations = {table: relation for table, relation in options.relations.items()
                          if relation["isRequired"] or getattr(options, table)}
        self.columns = COLUMNS | {table: options.columns[table] for table in self.relations}
        self.times = {relation["timeColumn"] for relation in self.relations.values()}
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
            files, readings = self.readings(kind, source)
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
        rows = self.stored(kind, rows)
        good, bad = rejected.value
        self.say(f"{kind}: {good} rows, {bad} rejected{rejects.collect()}")
        if bad > self.options.maximum_rejected / 100 * (good + bad):
            raise SystemExit(f"{kind}: {bad} of {good + bad} rows are rejected; the rest was not used")
        return rows

    def readings(self, kind, source):
        """The names of a source's files in their order, and the rows of its parts.

        With each part come the first line of a text file, and whether it is a table. Rows are lines of text, or columns
        of a table as text. Each has the number of its file.
        """
        if source.startswith("table:"):
            rows = self.texts(kind, self.session.read.table(source[6:]), source, F.lit(0).alias("block"),
                              F.lit(0).alias("file"))
            return [source], [(rows, None, True)]
        files, base = self.files(source)
        return [decoded(file) for file in files], [*self.tables(kind, files, base), *self.lines(kind, files, base)]

    def tables(self, kind, files, base):
        """The parts of a source with columns. Those that have the same columns of the same types are read at once."""
        block = F.col("_metadata.file_block_start").alias("block")
        path = F.regexp_replace("_metadata.file_path", "^([^:/]+):/+", "$1:/").alias("path")
        numbers = self.session.createDataFrame(
            [(one_slash(file), number) for number, file in enumerate(files)], "path string, number long")
        missing = F.raise_error(F.concat(F.lit("Spark did not list this file: "), "path")).cast("long")
        alike = {}
        for file in files:
            if not file.endswith(TEXT):
                alike.setdefault(self.columns_of(kind, file, base), []).append(file)
        for names in alike.values():
            rows = self.texts(kind, self.parquet(names, base), decoded(names[0]), block, path)
            rows = rows.join(F.broadcast(numbers), "path", "left").withColumn("file", F.coalesce("number", missing))
            yield rows.drop("path", "number"), None, True

    def lines(self, kind, files, base):
        """The text files of a source."""
        for number, file in enumerate(map(decoded, files)):
            if not file.endswith(TEXT):
                continue
            if inner_columns(base, file):
                raise SystemExit(f"{kind}: {file} is in a folder that names a column: text files have all columns in "
                                 "their header")
            path = escaped(file)
            # Titles have ends of lines in some files, and groups are few: their files are taken as they are.
            is_whole = kind == "groups" or self.options.multi_line
            lines = self.session.read.option("wholetext", is_whole).text(path).select(
                "value", F.col("_metadata.file_block_start").alias("block"), F.lit(number).alias("file"))
            header = None
            if not is_whole and ".json" not in file and ".ndjson" not in file:
                row = self.session.read.text(path).filter(F.trim("value") != "") \
                    .select(F.col("value").cast("binary")).head()
                if row is None:
                    continue
                header = bytes(row[0])
            yield lines, header, False

    def files(self, source):
        """The files of a source as URIs in the order of their names, and the folder that they are in, if it is one.

        A source that is the very name of a file or folder is no pattern, whatever characters it has.
        """
        path, base, pattern = self.session._jvm.org.apache.hadoop.fs.Path(source), None, source
        system = path.getFileSystem(self.session._jsc.hadoopConfiguration())
        if system.exists(path):
            pattern = escaped(source)
            if system.getFileStatus(path).isDirectory():
                base = system.makeQualified(path).toString()
        listing = self.session.read.option("recursiveFileLookup", True).text(pattern).inputFiles()
        files = sorted(listing, key=decoded)
        if not files:
            raise SystemExit(f"there are no files in {source}")
        if base:
            self.check_folders(base, [decoded(file) for file in files])
        elif len(self.session.read.text(pattern).inputFiles()) < len(files):
            raise SystemExit(f"{source} has folders with files in other folders: name these as sources of their own")
        return files, base

    def check_folders(self, base, files):
        """Ends the job unless all files are in the folder itself, or below folders that name the same columns."""
        names = [inner_columns(base, file) for file in files]
        for file, columns in zip(files, names):
            if columns is None:
                raise SystemExit(f"{file} is in a folder below {base} that is no NAME=VALUE: "
                                 "name that folder as a source of its own")
            if columns != names[0]:
                raise SystemExit(f"{file} is in folders of the columns {columns}, and {files[0]} of {names[0]}")

    def columns_of(self, kind, file, base):
        """The columns of a Parquet file with their types, as a text."""
        name, jvm = decoded(file), self.session._jvm
        try:
            entry = jvm.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath(
                jvm.org.apache.hadoop.fs.Path(name), self.session._jsc.hadoopConfiguration())
            reader = jvm.org.apache.parquet.hadoop.ParquetFileReader.open(entry)
        except Py4JJavaError as error:
            raise SystemExit(f"{kind}: {name} cannot be read as Parquet: {error.java_exception.getMessage()}") from None
        try:
            data = reader.getFileMetaData()
            twice = {field.getName() for field in data.getSchema().getFields()} & set(inner_columns(base, name) or [])
            if twice:
                raise SystemExit(f"{kind}: {name} has the column {min(twice)}, and its folder too")
            return str(data.getSchema()) + str(data.getKeyValueMetaData().get(ROW_METADATA))
        finally:
            reader.close()

    def parquet(self, files, base):
        """The rows of Parquet files with the same columns; the values of folders NAME=VALUE are text."""
        reading = self.session.read.option("basePath", base) if base else self.session.read
        return reading.parquet(*[escaped(decoded(file)) for file in files])

    def texts(self, kind, rows, part, *places):
        """The columns of a kind that the rows of a part have, as an import would find them in a file."""
        def text(field):
            column = F.col(f"`{field.name}`")
            if field.name not in coterie_tables.DEGREES and isinstance(field.dataType, NUMBERS):
                return self.integers(kind, part, field, column)
            if isinstance(field.dataType, T.ArrayType):
                return F.array_join(column.cast("array<string>"), ";")
            if isinstance(field.dataType, T.TimestampType):
                return F.unix_seconds(column).cast("string")
            if isinstance(field.dataType, (T.MapType, T.StructType, T.BinaryType)):
                raise SystemExit(f"{kind}: {part}: the column {field.name} has the type "
                                 f"{field.dataType.simpleString()}: write it as text, or have Spark take binary as "
                                 "text by spark.sql.parquet.binaryAsString")
            return column.cast("string")
        known = [field for field in rows.schema.fields if field.name in self.options.columns[kind]]
        return rows.select(*[text(field).alias(field.name) for field in known], *places)

    def integers(self, kind, part, field, column):
        """Numbers with a point as text: those without a fraction as integers, as pandas writes them.

        Floats above the limit stand for several integers. An id of them would be another one.
        """
        if isinstance(field.dataType, T.DecimalType):
            whole, is_exact = column.cast("decimal(38,0)").cast("string"), F.lit(True)
        else:
            column = F.when(~F.isnan(column), column)
            whole = column.cast("bigint").cast("string")
            is_exact = F.abs(column) <= 2.0 ** (24 if isinstance(field.dataType, T.FloatType) else 53)
        refused = F.raise_error(F.concat(
            F.lit(f"{kind}: {part}, or a part with the same columns: the column {field.name} has "),
            column.cast("string"),
            F.lit(", which is too large to be exact as a float: write the column as integers or as text")))
        # "coterie clean" says what is wrong with a time.
        inexact = refused.cast("string") if field.name.endswith("_id") else column.cast("string")
        return F.when(column.isNull(), F.lit(None).cast("string")).when(~is_exact, inexact) \
            .when(column == F.floor(column), whole).otherwise(column.cast("string"))

    # Groups

    def group_files(self):
        """The sources of groups as files that "coterie import groups" reads."""
        for source in filter(None, self.options.groups.split(",")):
            if source.startswith("table:"):
                yield self.group_lines(self.session.read.table(source[6:]), source)
                continue
            files, base = self.files(source)
            for number, file in enumerate(files):
                name = decoded(file)
                if not name.endswith(TEXT):
                    yield self.group_lines(self.parquet([file], base), name)
                elif name.startswith("file:"):
                    yield re.sub("^file:/+", "/", name)
                else:
                    content = self.session.read.format("binaryFile").load(escaped(name)).head().content
                    path = self.path(f"groups-{number}-{os.path.basename(name)}")
                    with open(path, "wb") as copy:
                        copy.write(content)
                    yield path

    def group_lines(self, rows, part):
        """The rows of a part with groups, as a file of JSON Lines."""
        with open(self.path("groups.jsonl"), "w") as copy:
            for row in self.texts("groups", rows, part).toJSON().toLocalIterator():
                copy.write(row + "\n")
        return copy.name

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


def decoded(uri):
    """The path that Spark named by a URI."""
    return urllib.parse.unquote(uri)


def escaped(path):
    """A pattern that only this path matches."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


def one_slash(uri):
    """A URI with one slash behind its scheme: Spark writes one in one place, and three in another."""
    return re.sub("^([^:/]+):/+", r"\1:/", uri)


def inner_columns(base, file):
    """The names in the folders NAME=VALUE between a folder and a file below it; none if a folder has no name."""
    folders = one_slash(file)[len(one_slash(base)):].strip("/").split("/")[:-1] if base else []
    names = [folder.partition("=")[0] if "=" in folder else None for folder in folders]
    return None if None in names else names


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
