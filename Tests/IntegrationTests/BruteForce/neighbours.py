"""Compares an export of neighbours, group by group, with a brute force that shares nothing with the program.

Standard library only. Groups are numbered in ascending order of their size, equal sizes in the order of their ids'
bytes: then of two neighbours with the same common count the one with the lower number is the better one. Different
counts are compared as integers: c*c / n orders like the cosine within one list, and floor(c*c * 2**64 / n) orders and
ties exactly like c*c / n as long as n < 2**32.
"""

import argparse
import collections
import csv
import itertools
import json
import math
import sys

ENTRY_COLUMN = {"members": "user_id", "photos": "photo_id"}


def rows(path, *columns):
    """Some columns of a TSV file with a header."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = csv.reader(file, delimiter="\t")
        header = next(lines)
        places = [header.index(column) for column in columns]
        for fields in lines:
            yield [fields[place] for place in places]


def private_ids(path, column):
    return {row for row, visibility in rows(path, column, "visibility") if visibility == "private"} if path else set()


def entry_sets(options):
    """The entries of every public group; private photos do not count."""
    column = ENTRY_COLUMN[options.by]
    hidden_groups = private_ids(options.groups, "group_id")
    hidden_entries = private_ids(options.photos, "photo_id") if options.by == "photos" else set()
    entries = collections.defaultdict(set)
    for group, entry in rows(options.pairs, "group_id", column):
        if group not in hidden_groups and entry not in hidden_entries:
            entries[group].add(entry)
    return entries


def neighbours(entries, options):
    """Yields each group with its list of (neighbour, common, score), groups in the order of their ids' bytes."""
    # The order of bytes, for ties between groups of different sizes.
    by_bytes = {group: place for place, group in enumerate(sorted(entries, key=str.encode))}
    counted = [group for group, mine in entries.items() if len(mine) >= options.min_entries]
    counted.sort(key=lambda group: (len(entries[group]), by_bytes[group]))
    numbers = {group: number for number, group in enumerate(counted)}
    sizes = [len(entries[group]) for group in counted]
    holders = collections.defaultdict(list)
    for number, group in enumerate(counted):
        for entry in entries[group]:
            holders[entry].append(number)
    for group in by_bytes:
        mine = entries[group]
        common = collections.Counter()
        if group in numbers:
            common.update(itertools.chain.from_iterable(holders[entry] for entry in mine))
            del common[numbers[group]]
        found = [
            (-((count * count << 64) // sizes[other]), by_bytes[counted[other]], other, count)
            for count, other in best_of_each_count(common, options)
        ]
        found.sort()
        yield group, [
            (counted[other], count, count / math.sqrt(len(mine) * sizes[other]))
            for _, _, other, count in found[: options.neighbours]
        ]


def best_of_each_count(common, options):
    """Yields (count, number) of the best neighbours with each common count: enough for the best of all."""
    by_count = collections.defaultdict(list)
    for number, count in common.items():
        by_count[count].append(number)
    for count, numbers in by_count.items():
        if count >= options.min_common:
            for number in sorted(numbers)[: options.neighbours]:
                yield count, number


def exported(path):
    """The lists of an export, in the order in which its groups appear."""
    lists = {}
    for group, rank, neighbour, score, common in rows(path, "group", "rank", "neighbour", "score", "common"):
        place = lists.setdefault(group, [])
        place.append((neighbour, int(common), float(score)))
        if int(rank) != len(place):
            sys.exit(f"group {group}: rank {rank} stands at place {len(place)}")
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
