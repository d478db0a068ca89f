"""Collects the records that the workers of recompute.py rejected into files as an import writes them."""

import glob
import os
import shutil

# An import keeps no more of them either.
KEPT_BYTES = 256 << 20
COLUMNS = ("source", "line", "reason", "record", "rejects_file", "rejects_line")


class Form:
    """The file of the rejected records of one form."""

    def __init__(self, name, header):
        self.name, self.header, self.lines = name, header, header.count(b"\n")
        self.file = open(name, "wb")
        self.file.write(header)

    def append(self, records):
        """Appends records; returns the number of lines before them beyond the header."""
        self.file.write(records)
        before, self.lines = self.lines, self.lines + records.count(b"\n")
        return before - self.header.count(b"\n")


class Rejects:
    """The rejected records of a kind: a file for each form of them that can be imported again, and the reasons.

    "coterie clean" writes them to a folder, in files whose names are numbers: that of the source's file, the byte at
    which a piece of that begins, and the lines before the first of the piece and 1.
    """

    def __init__(self, kind, folder, target):
        self.folder, self.stem = os.path.join(folder, kind), os.path.join(target, f"{kind}-rejects")
        self.files = []  # the names of the source's files, by number
        self.forms, self.bytes, self.example = {}, 0, None
        os.makedirs(self.folder, exist_ok=True)

    def refusal(self):
        """The first file that ends the job, with the reason; empty if none does."""
        for path in sorted(glob.glob(os.path.join(glob.escape(self.folder), "*-refused"))):
            name = self.files[int(os.path.basename(path).split("-")[0])]
            with open(path, encoding="utf-8") as kept:
                reason = kept.read()
            return reason.replace("standard input", name, 1) if "standard input" in reason else f"{name}: {reason}"
        return ""

    def collect(self):
        """Writes the files; returns the first reason and the names of the files, for a message."""
        found = sorted(glob.glob(os.path.join(glob.escape(self.folder), "*-reasons.tsv")))
        if not found:
            return ""
        os.makedirs(os.path.dirname(self.stem) or ".", exist_ok=True)
        with open(self.stem + "-reasons.tsv", "w", encoding="utf-8") as reasons:
            reasons.write("\t".join(COLUMNS) + "\n")
            for path in found:
                if self.bytes > KEPT_BYTES:
                    break
                self.add(path, reasons)
        names = ", ".join(form.name for form in self.forms.values())
        for form in self.forms.values():
            form.file.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        kept = "the first" if self.bytes > KEPT_BYTES else "all"
        return f"; the first is {self.example}; {kept} are in {names}, with reasons in {self.stem}-reasons.tsv"

    def add(self, path, reasons):
        file, block, before = (int(number) for number in os.path.basename(path).split("-")[:3])
        source = self.files[file] + (f" from byte {block}" if block else "")
        rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")][1:]
        starts = {name: self.copy(name) for name in sorted({row[4] for row in rows if row[4]})}
        for _, line, reason, record, name, place in rows:
            line = int(line) + before - 1
            target, first = starts.get(name, ("", 0))
            place = str(first + int(place)) if target else ""
            reasons.write("\t".join([source, str(line), reason, record, target, place]) + "\n")
            self.example = self.example or f"{source}, line {line}: {reason}"
        self.bytes += os.path.getsize(path)

    def copy(self, path):
        """Appends a file of records to that of its form; returns its name, and the difference of their lines."""
        with open(path, "rb") as file:
            content = file.read()
        ending = os.path.splitext(path)[1]
        header = b"" if ending == ".jsonl" else content[:content.index(b"\n") + 1]
        form = self.forms.get((ending, header))
        if form is None:
            number = sum(known == ending for known, _ in self.forms)
            form = Form(self.stem + (f"-{number + 1}" if number else "") + ending, header)
            self.forms[(ending, header)] = form
        self.bytes += len(content) - len(header)
        return form.name, form.append(content[len(header):])
