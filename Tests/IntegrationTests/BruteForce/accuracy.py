"""Scores lists that "coterie evaluate --lists" wrote, from the definitions alone: nothing is shared with the program.

    accuracy.py TRAIN TEST LISTS N…   prints {list: {N: {measure: value}}} as JSON

Means over users of TRAIN with a held-out group; a rotating list counts with the mean of its buckets. Groups that \
TRAIN lacks
cannot be found, and count.
"""

import collections
import csv
import json
import math
import sys


def memberships(path):
    joined = collections.defaultdict(set)
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            joined[row["user_id"]].add(row["group_id"])
    return joined


def measures(groups, held, length):
    hits = [rank for rank, group in enumerate(groups[:length], 1) if group in held]
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(length, len(held)) + 1))
    return {
        "recall": len(hits) / len(held),
        "ndcg": sum(1 / math.log2(rank + 1) for rank in hits) / ideal,
        "precision": len(hits) / length,
        "hitRate": float(bool(hits)),
        "mrr": 1 / hits[0] if hits else 0.0,
    }


train, test = memberships(sys.argv[1]), memberships(sys.argv[2])
lengths = [int(text) for text in sys.argv[4:]]
lists = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
with open(sys.argv[3], encoding="utf-8", newline="") as file:
    for row in csv.DictReader(file, delimiter="\t"):
        lists[row["list"]][row["user_id"]][row["bucket"]].append((int(row["rank"]), row["group_id"]))

result = {}
for name, by_user in lists.items():
    buckets = {bucket for user in by_user.values() for bucket in user}
    result[name] = {}
    for length in lengths:
        sums, users = collections.Counter(), 0
        for user, groups in train.items():
            held = test.get(user, set()) - groups
            if not held:
                continue
            users += 1
            for bucket in buckets:
                ranked = [group for _, group in sorted(by_user[user][bucket])]
                for measure, value in measures(ranked, held, length).items():
                    sums[measure] += value / len(buckets)
        result[name][str(length)] = {measure: value / users for measure, value in sums.items()}
json.dump(result, sys.stdout)
