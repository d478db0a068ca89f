"""What the sources of recompute.py have: their files, the columns and types of each, and their rows as text.

One machine reads text. So all rows become the text that an import would find, or the job ends and names the file.
"""

import concurrent.futures
import os
import re
import sys
import urllib.parse

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql import types as T

import coterie_tables

FLOATS = (T.FloatType, T.DoubleType)
TEXT = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".txt", ".gz")
# What a session needs so that values keep what their files say.
SETTINGS = {
    # An id in the name of a folder is text: 00123 is not 123.
    "spark.sql.sources.partitionColumnTypeInference.enabled": False,
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.inferTimestampNTZ.enabled": True,
    # pandas writes times so. Spark has no type for them.
    "spark.sql.legacy.parquet.nanosAsLong": True,
}
# A column of a schema: its type, its name, and its logical type, such as TIMESTAMP(NANOS,true).
STORED = re.compile(r"^  \w+ (\S+) (\S+)(?: \((.*)\))?;$", re.MULTILINE)
# In the footer of a file that Spark wrote.
ROW_METADATA = "org.apache.spark.sql.parquet.row.metadata"
TIME = "yyyy-MM-dd'T'HH:mm:ss"


def refuse(reason):
    """Ends the job: the data must be changed first."""
    print(reason, file=sys.stderr, flush=True)
    sys.exit(65)


class Sources:
    """Reads files, folders, patterns and tables."""

    def __init__(self, session, options, folder):
        self.session, self.options, self.folder = session, options, folder
        self.hadoop, self.java = session._jsc.hadoopConfiguration(), session._jvm.org.apache
        self.columns = {name for columns in options.columns.values() for name in columns}
        self.copies = 0

    def readings(self, kind, source):
        """The names of a source's files in their order, and the rows of its parts.

        With each part come the first line of a text file, and whether it is a table. Rows are lines of text, or columns
        of a table as text. Each has the number of its file.
        """
        if source.startswith("table:"):
            rows = self.texts(kind, self.session.read.table(source[6:]), source, {}, F.lit(0).alias("block"),
                              F.lit(0).alias("file"))
            return [source], [(rows, None, True)]
        files = self.files(source)
        return [decoded(file) for file, _ in files], [*self.tables(kind, files), *self.lines(kind, files)]

    def files(self, source):
        """The files of a source as URIs in the order of their names, each with the folder of the source that it is in.

        A source that is the very name of a file or folder is no pattern, whatever characters it has.
        """
        path = self.java.hadoop.fs.Path(source)
        system = path.getFileSystem(self.hadoop)
        found = [system.getFileStatus(path)] if system.exists(path) else system.globStatus(path) or []
        files = []
        for status in found:
            if not status.isDirectory():
                files.append((status.getPath().toUri().toString(), None))
                continue
            base, listing = status.getPath().toUri().toString(), system.listFiles(status.getPath(), True)
            while listing.hasNext():
                files.append((listing.next().getPath().toUri().toString(), base))
        files = sorted((file for file in files if is_data(*file)), key=lambda file: decoded(file[0]))
        if not files:
            refuse(f"there are no files in {source}")
        first = {}
        for file, base in files:
            columns, known = folder_columns(file, base), first.setdefault(base, file)
            if columns is None:
                refuse(f"{decoded(file)} is in a folder below {decoded(base)} that is no NAME=VALUE: "
                       "name that folder as a source of its own")
            if columns != folder_columns(known, base):
                refuse(f"{decoded(file)} is in folders of the columns {columns}, and {decoded(known)} of "
                       f"{folder_columns(known, base)}: make them sources of their own")
        return files

    def tables(self, kind, files):
        """The parts with columns. Those that have the same columns of the same types are read at once."""
        block = F.col("_metadata.file_block_start").alias("block")
        path = F.regexp_replace("_metadata.file_path", "^([^:/]+):/+", "$1:/").alias("path")
        numbers = self.session.createDataFrame(
            [(one_slash(file), number) for number, (file, _) in enumerate(files)], "path string, number long")
        missing = F.raise_error(F.concat(F.lit("Spark did not list this file: "), "path")).cast("long")
        parts = [file for file in files if not file[0].endswith(TEXT)]
        alike = {}
        with concurrent.futures.ThreadPoolExecutor(16) as readers:
            for (file, base), columns in zip(parts, readers.map(lambda part: self.footer(kind, *part), parts)):
                alike.setdefault((base, columns), []).append(file)
        for (base, (schema, is_sparks)), names in alike.items():
            rows = self.part(kind, names, base, schema, is_sparks, block, path)
            rows = rows.join(F.broadcast(numbers), "path", "left").withColumn("file", F.coalesce("number", missing))
            yield rows.drop("path", "number"), None, True

    def footer(self, kind, file, base):
        """The schema of a Parquet file as a text, and what Spark wrote about it, if it did."""
        name = decoded(file)
        try:
            reader = self.java.parquet.hadoop.ParquetFileReader.open(
                self.java.parquet.hadoop.util.HadoopInputFile.fromPath(self.java.hadoop.fs.Path(name), self.hadoop))
        except Py4JJavaError as error:
            refuse(f"{kind}: {name} cannot be read as Parquet: {error.java_exception.getMessage()}")
        try:
            data = reader.getFileMetaData()
            names = [field.getName().lower() for field in data.getSchema().getFields()]
            twice = [column for column in folder_columns(file, base) if column in names]
            if twice:
                refuse(f"{kind}: {name} has the column {twice[0]}, and its folder too")
            return data.getSchema().toString(), data.getKeyValueMetaData().get(ROW_METADATA)
        finally:
            reader.close()

    def part(self, kind, files, base, schema, is_sparks, *places):
        """The rows of Parquet files with the same columns; the values of folders NAME=VALUE are text."""
        name = decoded(files[0])
        types = {column.lower(): logical or stored for stored, column, logical in STORED.findall(schema)}
        is_told = is_sparks or self.options.timezone in ("UTC", "Z", "+00:00")
        for column in self.options.columns[kind]:
            if types.get(column) == "int96" and not is_told:
                refuse(f"{kind}: {name}: the column {column} has times as INT96, which do not say whether they are in "
                       "UTC or local: write it as TIMESTAMP, or say --timezone UTC")
        reading = self.session.read.option("basePath", decoded(base)) if base else self.session.read
        try:
            return self.texts(kind, reading.parquet(*[escaped(decoded(file)) for file in files]), name, types, *places)
        except (Py4JJavaError, PySparkException) as error:
            refuse(f"{kind}: {name} cannot be read by Spark: {str(error).splitlines()[0]}")

    def lines(self, kind, files):
        """The text files of a source."""
        for number, (file, base) in enumerate(files):
            if not file.endswith(TEXT):
                continue
            name = decoded(file)
            if folder_columns(file, base):
                refuse(f"{kind}: {name} is in a folder that names a column: text files have all columns in their header")
            path = escaped(name)
            # Titles have ends of lines in some files, and groups are few: their files are taken as they are.
            is_whole = kind == "groups" or self.options.multi_line
            lines = self.session.read.option("wholetext", is_whole).text(path).select(
                "value", F.col("_metadata.file_block_start").alias("block"), F.lit(number).alias("file"))
            header = None
            if ".json" not in name and ".ndjson" not in name:
                row = self.session.read.text(path).filter(F.trim("value") != "") \
                    .select(F.col("value").cast("binary")).head()
                if row is None:
                    refuse(f"{kind}: {name} is empty; its first line must name the columns")
                header = None if is_whole else bytes(row[0])
            yield lines, header, False

    def texts(self, kind, rows, part, types, *places):
        """The columns of a part as an import would find them in a file, and why a row of it ends the job.

        `types` has the types of the columns in the file, if it is one. Columns of other kinds are empty.
        """
        texts, refusals = [], [F.lit(None).cast("string")]
        for field in rows.schema.fields:
            name = field.name.lower()
            column = F.col(f"`{field.name}`")
            if name in self.options.columns[kind]:
                text, refusal = self.text(kind, part, name, column, field.dataType, types.get(name, ""))
                texts.append(text.alias(name))
                refusals += refusal
            elif name in self.columns:
                texts.append(F.lit(None).cast("string").alias(name))
        return rows.select(*texts, F.coalesce(*refusals).alias("refused"), *places)

    def text(self, kind, part, name, column, kept, stored):
        """A column as text, and why a value of it ends the job."""
        if stored.startswith("TIMESTAMP(NANOS"):
            seconds = F.floor(column.cast("decimal(20,0)") / F.lit(10**9)).cast("bigint")
            return F.date_format(F.timestamp_seconds(seconds), TIME + ("'Z'" if "true" in stored else "")), []
        if isinstance(kept, T.TimestampType):
            return F.date_format(column, TIME + "'Z'"), []
        if isinstance(kept, T.DecimalType):
            is_whole = column == F.floor(column)
            return F.when(is_whole, column.cast("decimal(38,0)").cast("string")).otherwise(column.cast("string")), []
        if isinstance(kept, FLOATS) and name not in coterie_tables.DEGREES:
            return floats(name, F.when(~F.isnan(column), column), 24 if isinstance(kept, T.FloatType) else 53)
        if isinstance(kept, T.ArrayType):
            return F.array_join(column.cast("array<string>"), ";"), []
        if isinstance(kept, (T.MapType, T.StructType, T.BinaryType)):
            refuse(f"{kind}: {part}: the column {name} has the type {kept.simpleString()}: write it as text, or have "
                   "Spark take binary as text by spark.sql.parquet.binaryAsString")
        return column.cast("string"), []

    def group_files(self):
        """The sources of groups as files that "coterie import groups" reads, in their order."""
        for source in filter(None, self.options.groups.split(",")):
            if source.startswith("table:"):
                _, [(rows, _, _)] = self.readings("groups", source)
                yield self.copy(source, rows)
                continue
            for file, base in self.files(source):
                name = decoded(file)
                if not name.endswith(TEXT):
                    [(rows, _, _)] = self.tables("groups", [(file, base)])
                    yield self.copy(name, rows)
                elif name.startswith("file:"):
                    yield re.sub("^file:/+", "/", name)
                else:
                    yield self.copy(name)

    def copy(self, name, rows=None):
        """Copies a file, or writes the rows of a part as JSON Lines; returns the path of the copy."""
        self.copies += 1
        path = os.path.join(self.folder, f"groups-{self.copies}-{os.path.basename(name)}")
        if rows is None:
            with open(path, "wb") as copy:
                copy.write(self.session.read.format("binaryFile").load(escaped(name)).head().content)
            return path
        rows = rows.select(F.to_json(F.struct(*[column for column in rows.columns if column in self.columns]),
                                     {"ignoreNullFields": "false"}))
        with open(path + ".jsonl", "w", encoding="utf-8") as copy:
            copy.writelines(f"{row[0]}\n" for row in rows.toLocalIterator())
        return copy.name


def floats(name, column, bits):
    """Numbers with a point as text: those without a fraction as integers, as pandas writes them.

    Floats from the limit on stand for several integers. An id of them would be another one.
    """
    is_exact, whole = F.abs(column) < 2.0 ** bits, F.floor(column)
    has_no_fraction = F.lit(name.endswith("_at") or name == "since") | (whole == column)
    text = F.when(is_exact & has_no_fraction, whole.cast("string"))
    refusal = F.when(~is_exact | (whole != column), F.concat(
        F.lit(f"the column {name} has "), column.cast("string"),
        F.lit(", which is not exact as a float: write the column as integers or as text")))
    # "coterie clean" says what is wrong with a time.
    return text.otherwise(column.cast("string")), [refusal] if name.endswith("_id") else []


def is_data(file, base):
    """Whether a file has data: Spark's own files, such as _SUCCESS, have none."""
    names = one_slash(file)[len(one_slash(base)):].strip("/").split("/") if base else [file.rpartition("/")[2]]
    return not any(name[0] == "." or name[0] == "_" and "=" not in name for name in names)


def folder_columns(file, base):
    """The columns of the folders NAME=VALUE between a folder and a file below it; None if a folder names none."""
    folders = one_slash(file)[len(one_slash(base)):].strip("/").split("/")[:-1] if base else []
    pairs = [decoded(folder).partition("=") for folder in folders]
    return [decoded(name).lower() for name, _, _ in pairs] if all(value for _, _, value in pairs) else None


def decoded(uri):
    """The path that a URI names."""
    return urllib.parse.unquote(uri)


def escaped(path):
    """A pattern that only this path matches."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


def one_slash(uri):
    """A URI with one slash behind its scheme: Spark writes one in one place, and three in another."""
    return re.sub("^([^:/]+):/+", r"\1:/", uri)
