"""What the workers of recompute.py run: cleaning records, and writing parts of tables.

Rows stay in Arrow batches and numpy arrays: none is touched one by one in Python.
"""

import json
import os
import subprocess
import zlib

import numpy
import pyarrow
import pyarrow.compute
import pyarrow.csv

# A cleaner gets at most so many bytes, so that a worker's memory is bounded.
CHUNK_BYTES = 64 << 20
NO_TIME = numpy.iinfo(numpy.int64).min
DEGREES = {"latitude", "longitude"}


class Cleaning:
    """Cleans batches with `coterie clean`, which knows the rules of an import."""

    def __init__(self, program, kind, timezone, ignore, columns, times, header, is_table, rejected, rejects):
        self.command = [program, "clean", kind, "--timezone", timezone, *(["--ignore", ignore] if ignore else []),
                        "--rejects"]
        self.columns = columns  # those that are wanted
        self.times = times  # the columns with times
        self.header = header  # the first line of the file; none for tables and JSON Lines
        self.is_table = is_table
        self.rejected = rejected  # an accumulator: rows, rejected ones
        self.rejects = rejects  # a folder for rejected records

    def __call__(self, batches):
        for chunk in chunked(batches):
            yield from self.clean(chunk, *(chunk.column(name)[0].as_py() for name in ("file", "block")))

    def clean(self, batch, file, block):
        line = int(batch.column("first")[0].as_py())
        has_header = not self.is_table and (self.header is None or block == 0 and line == 0)
        if self.is_table:
            reason = pyarrow.compute.min(batch.column("refused")).as_py()
            if reason:
                return self.refuse(file, reason)
            buffer = pyarrow.BufferOutputStream()
            pyarrow.csv.write_csv(batch.drop_columns(["file", "block", "first", "refused"]), buffer)
            content = buffer.getvalue()
        else:
            content = (b"" if has_header else self.header + b"\n") + joined(batch.column("value"))
        # A task that is run again writes the same files. A header of this function's own is no line of the source.
        before = line - (0 if has_header else 1)
        rejects = os.path.join(self.rejects, f"{int(file):06d}-{int(block):015d}-{before + 1:012d}")
        run = subprocess.run([*self.command, rejects], input=content, capture_output=True)
        if run.returncode == 65:
            return self.refuse(file, run.stderr.decode(errors="replace").removeprefix("coterie: ").strip())
        if run.returncode:
            raise RuntimeError(f"{' '.join(self.command)}: {run.stderr.decode(errors='replace')}")
        report = json.loads(run.stderr.splitlines()[-1])
        self.rejected.add((report["rows"], report["rejected"]))
        names = [*self.columns, "fields", "line"]
        types = {name: pyarrow.int64() if name in {*self.times, "fields", "line"} else pyarrow.float64()
                 if name in DEGREES else pyarrow.string() for name in names}
        rows = pyarrow.csv.read_csv(
            pyarrow.BufferReader(run.stdout),
            parse_options=pyarrow.csv.ParseOptions(delimiter="\t", newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types, include_columns=names, null_values=[""],
                strings_can_be_null=True, quoted_strings_can_be_null=False))
        count = len(rows)
        order = pyarrow.compute.add(rows.column("line"), line)
        written = run.stdout[:run.stdout.index(b"\n")].decode().split("\t")
        given = rows.column("fields").to_numpy()
        fields = sum((given >> written.index(name) & 1) << number for number, name in enumerate(self.columns))
        rows = rows.select(self.columns).append_column("fields", pyarrow.array(fields))
        rows = rows.append_column("file", pyarrow.array(numpy.full(count, file)))
        rows = rows.append_column("block", pyarrow.array(numpy.full(count, block)))
        rows = rows.append_column("line", order)
        yield from rows.to_batches()

    def refuse(self, file, reason):
        """Keeps why a file ends the job, which the driver reads when the stage is done: no task does this again."""
        with open(os.path.join(self.rejects, f"{int(file):06d}-refused"), "w", encoding="utf-8") as kept:
            kept.write(reason)


def joined(lines):
    """The bytes of an array of texts, each with an end of line."""
    if len(lines) == 0:
        return b""
    kind = pyarrow.large_binary()
    ended = pyarrow.compute.binary_join_element_wise(
        lines.cast(kind), pyarrow.scalar(b"\n", kind), pyarrow.scalar(b"", kind))
    offsets = numpy.frombuffer(ended.buffers()[1], numpy.int64)[ended.offset:ended.offset + len(ended) + 1]
    return ended.buffers()[2].slice(int(offsets[0]), int(offsets[-1] - offsets[0])).to_pybytes()


def chunked(batches):
    """Numbers the lines of each piece of a file, and cuts them into chunks that a cleaner gets whole."""
    waiting, size, seen, place = [], 0, 0, None
    for batch in batches:
        files, blocks = (batch.column(name).to_numpy() for name in ("file", "block"))
        edges = numpy.flatnonzero((numpy.diff(files) != 0) | (numpy.diff(blocks) != 0)) + 1
        for start, end in zip([0, *edges], [*edges, len(files)]):
            if end == start:
                continue
            piece = batch.slice(start, end - start)
            if (files[start], blocks[start]) != place or size >= CHUNK_BYTES:
                if waiting:
                    yield whole(waiting, seen)
                    seen += sum(len(part) for part in waiting)
                if (files[start], blocks[start]) != place:
                    seen = 0
                waiting, size, place = [], 0, (files[start], blocks[start])
            waiting.append(piece)
            size += piece.nbytes
    if waiting:
        yield whole(waiting, seen)


def whole(pieces, first):
    table = pyarrow.Table.from_batches(pieces).combine_chunks()
    table = table.append_column("first", pyarrow.array(numpy.full(len(table), first)))
    return table.combine_chunks().to_batches(max_chunksize=len(table))[0]


def write_part(folder, table, part, columns):
    """Writes a part of a table and, beside it, its row of the manifest; doing it again writes the same."""
    name = f"{table}-{part:05d}"
    described, pieces, position = [], [], 0
    for column, kind, content in columns:
        padding = -position % 8
        buffers = text_buffers(content) if kind == "text" else [numpy.ascontiguousarray(content)]
        length = sum(memoryview(buffer).nbytes for buffer in buffers)
        pieces += [b"\0" * padding, *buffers]
        described.append({"name": column, "kind": kind, "byteCount": length})
        position += padding + length
    checksum = 0
    temporary = os.path.join(folder, f".{name}-{os.getpid()}-{os.urandom(4).hex()}")
    with open(temporary, "wb") as file:
        for piece in pieces:
            file.write(piece)
            checksum = zlib.crc32(piece, checksum)
    os.replace(temporary, os.path.join(folder, name + ".table"))
    rows = len(columns[0][2])
    row = {"file": name + ".table", "rows": rows, "checksum": checksum, "columns": described}
    with open(temporary, "w") as file:
        json.dump(row, file)
    os.replace(temporary, os.path.join(folder, name + ".json"))
    return rows


def text_buffers(texts):
    """Where each text begins and the last one ends, then the texts; null is empty."""
    texts = texts.fill_null("").cast(pyarrow.large_string())
    if isinstance(texts, pyarrow.ChunkedArray):
        texts = pyarrow.concat_arrays(texts.chunks)
    count = len(texts)
    if count == 0:
        return [numpy.zeros(1, numpy.uint64)]
    offsets = numpy.frombuffer(texts.buffers()[1], numpy.int64)[texts.offset:texts.offset + count + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    data = texts.buffers()[2]
    return [(offsets - first).astype(numpy.uint64), data.slice(first, last - first) if data and last > first else b""]


class Writing:
    """Writes the rows of each partition as a part of a table."""

    def __init__(self, folder, table, columns, last, goes_on=False):
        self.folder, self.table, self.columns = folder, table, columns
        self.last = last  # leaves a row for each thing that the rows say something of
        self.goes_on = goes_on  # whether ids go on, with the partition and the index of the row

    def __call__(self, batches):
        from pyspark import TaskContext
        part = TaskContext.get().partitionId()
        batches = [batch for batch in batches if batch.num_rows]
        rows = self.last(pyarrow.Table.from_batches(batches)) if batches else []
        del batches
        if len(rows) == 0:
            return
        write_part(self.folder, self.table, part,
                   [(name, kind, content(rows, name, kind)) for name, kind in self.columns.items()])
        if not self.goes_on:
            yield pyarrow.RecordBatch.from_pydict({"rows": pyarrow.array([len(rows)], pyarrow.int64())})
            return
        result = pyarrow.table({
            "id": rows.column("id"), "part": pyarrow.array(numpy.full(len(rows), part)),
            "index": pyarrow.array(numpy.arange(len(rows)))})
        yield from result.to_batches()


def content(rows, name, kind):
    column = rows.column(name)
    if kind == "text":
        return column
    if kind == "u32" and (pyarrow.compute.max(column).as_py() or 0) >= 2**32 - 1:
        raise OverflowError(f"{name}: more than can be numbered with 32 bits")
    missing = {"u32": 0, "i64": int(NO_TIME), "f64": float("nan")}[kind]
    return column.fill_null(missing).to_numpy().astype({"u32": "<u4", "i64": "<i8", "f64": "<f8"}[kind])


class LastRecords:
    """Of each id, what the last record says that gives a column; only what no record makes private.

    Rows are sorted by id, then as they came in. `bits` has the columns, each with its bit in `fields`; none for a
    column that a record gives by saying something.
    """

    def __init__(self, bits):
        self.bits = bits

    def __call__(self, rows):
        ids = rows.column("id").combine_chunks()
        is_first = numpy.ones(len(ids), bool)
        is_first[1:] = pyarrow.compute.not_equal(ids[1:], ids[:-1]).to_numpy(zero_copy_only=False)
        fields = rows.column("fields").fill_null(0).to_numpy()
        columns = {"id": ids.filter(pyarrow.array(is_first))}
        for name, bit in self.bits.items():
            column = rows.column(name)
            is_given = column.is_valid().to_numpy() if bit is None else (fields >> bit & 1).astype(bool)
            columns[name] = column.take(last_given(is_given, is_first))
        last = pyarrow.table(columns)
        if "visibility" in self.bits:
            is_private = pyarrow.compute.equal(rows.column("visibility"), "private").fill_null(False)
            marks = is_private.to_numpy().astype(numpy.int64)
            last = last.filter(pyarrow.array(numpy.add.reduceat(marks, numpy.flatnonzero(is_first)) == 0))
        return last


def last_given(is_given, is_first):
    """The last row of each run that gives something; null where none does."""
    firsts = numpy.flatnonzero(is_first)
    ends = numpy.append(firsts[1:], len(is_first)) - 1
    rows = numpy.maximum.accumulate(numpy.where(is_given, numpy.arange(len(is_given)), -1))[ends]
    return pyarrow.array(rows, mask=rows < firsts)


def last_entries(rows):
    """The entries of a relation, sorted; each with the last time that is known."""
    group, entry, file, block, line = (
        rows.column(name).to_numpy() for name in ("group", "entry", "file", "block", "line"))
    key = group << 32 | entry
    order = numpy.argsort(key, kind="stable")
    key = key[order]
    is_first = numpy.append(True, key[1:] != key[:-1])
    # Only what is there several times is put in the order in which it came in.
    again = numpy.flatnonzero(~(is_first & numpy.append(is_first[1:], True)))
    found = order[again]
    order[again] = found[numpy.lexsort((line[found], block[found], file[found], key[again]))]
    times = rows.column("time").take(pyarrow.array(order))
    return pyarrow.table({
        "group": group[order][is_first], "entry": entry[order][is_first],
        "time": times.take(last_given(times.is_valid().to_numpy(), is_first))})


def last_times(rows):
    """The entries of a relation whose pairs repeat, sorted; each time of a pair once, as the last record has it."""
    names = ("line", "block", "file", "time", "entry", "group")
    keys = [rows.column(name).to_numpy() for name in names]
    order = numpy.lexsort(keys)
    sames = [keys[index][order] for index in (5, 4, 3)]
    is_last = numpy.append(numpy.logical_or.reduce([same[1:] != same[:-1] for same in sames]), True)
    return rows.take(pyarrow.array(order[is_last]))
