"""Compares an export of neighbours, group by group, with a brute force that shares nothing with the program.

Standard library only. Order is decided in integers: c*c / n orders like the cosine within one list, and
floor(c*c * 2**64 / n) orders and ties exactly like c*c / n as long as n < 2**32.
"""

import argparse
import collections
import csv
import json
import math
import sys

ENTRY_COLUMN = {"members": "user_id", "photos": "photo_id"}


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def private_ids(path, column):
    return {row[column] for row in rows(path) if row["visibility"] == "private"} if path else set()


def entry_sets(options):
    """The entries of every public group; private photos do not count."""
    column = ENTRY_COLUMN[options.by]
    hidden_groups = private_ids(options.groups, "group_id")
    hidden_entries = private_ids(options.photos, "photo_id") if options.by == "photos" else set()
    entries = collections.defaultdict(set)
    for row in rows(options.pairs):
        if row["group_id"] not in hidden_groups and row[column] not in hidden_entries:
            entries[row["group_id"]].add(row[column])
    return entries


def neighbours(entries, options):
    """Yields each group with its list of (neighbour, common, score), groups in the order of their ids' bytes."""
    counted = {group: mine for group, mine in entries.items() if len(mine) >= options.min_entries}
    holders = collections.defaultdict(list)
    for group, mine in counted.items():
        for entry in mine:
            holders[entry].append(group)
    for group in sorted(entries, key=str.encode):
        mine = counted.get(group, ())
        common = collections.Counter()
        for entry in mine:
            common.update(holders[entry])
        del common[group]
        found = [
            (-((count * count << 64) // len(counted[other])), other.encode(), other, count)
            for other, count in common.items()
            if count >= options.min_common
        ]
        found.sort()
        yield group, [
            (other, count, count / math.sqrt(len(mine) * len(counted[other])))
            for _, _, other, count in found[: options.neighbours]
        ]


def exported(path):
    """The lists of an export, in the order in which its groups appear."""
    lists = {}
    for row in rows(path):
        place = lists.setdefault(row["group"], [])
        place.append((row["neighbour"], int(row["common"]), float(row["score"])))
        if int(row["rank"]) != len(place):
            sys.exit(f"group {row['group']}: rank {row['rank']} stands at place {len(place)}")
    return lists


def same(ours, theirs):
    return (
        len(ours) == len(theirs)
        and all(one[:2] == other[:2] for one, other in zip(ours, theirs))
        and all(abs(one[2] - other[2]) <= 1e-6 for one, other in zip(ours, theirs))
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--by", choices=ENTRY_COLUMN, required=True)
    parser.add_argument("--pairs", required=True, help="memberships or pools, TSV")
    parser.add_argument("--groups", help="TSV with visibility")
    parser.add_argument("--photos", help="TSV with visibility")
    for name in ("--min-entries", "--min-common", "--neighbours"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("export")
    options = parser.parse_args()
    theirs = exported(options.export)
    order = list(theirs)
    if order != sorted(order, key=str.encode):
        sys.exit("the groups of the export are not in the order of their ids' bytes")
    different = groups = lists = total = 0
    for group, ours in neighbours(entry_sets(options), options):
        groups += 1
        lists += bool(ours)
        total += len(ours)
        if not same(ours, theirs.pop(group, [])):
            different += 1
            if different <= 3:
                print(f"group {group} should have: {ours[:20]}", file=sys.stderr)
    if different or theirs:
        sys.exit(f"{different} of {groups} lists differ; {len(theirs)} are of groups that should have none")
    print(json.dumps({"groups": groups, "groupsWithNeighbours": lists, "neighbours": total}))


main()
