"""Prints the figures that EvaluationTests expects, from the definitions alone: nothing is shared with the program.

    figures.py community.txt K   a line a user: the user, the groups to learn from, "|", the groups held out
    figures.py TRAIN TEST K END  the same in two TSV files; lists of the users whose ids end so
                                 K: neighbours that a group keeps

recall@20: hits / groups held out; NDCG@20 with a log2 discount and an ideal of min(20, groups held out) hits; both are
means over members with a group held out. A held-out group without members in the training file cannot be hit, but
counts.

Raw lists: the 20 groups with the greatest sum of plain cosines to the member's groups, each of which counts only if it
keeps the other among its K best. Filtered: without groups whose cosine to a joined one is .8 or more.
"""

import collections
import csv
import itertools
import math
import sys

CEILING, LENGTH = 0.8, 20


def memberships(path):
    """Groups by user."""
    joined = collections.defaultdict(set)
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            joined[row["user_id"]].add(row["group_id"])
    return joined


def community(path):
    """Groups to learn from and groups held out, by user."""
    train, test = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            joined, held = line.split("|")
            user, *groups = joined.split()
            train[user], test[user] = set(groups), set(held.split())
    return train, test


if len(sys.argv) == 5:
    train, test = map(memberships, sys.argv[1:3])
    limit, end = int(sys.argv[3]), sys.argv[4]
else:
    train, test = community(sys.argv[1])
    limit, end = int(sys.argv[2]), ""
users = [user for user in train if user.endswith(end)]
members = collections.defaultdict(set)
for user, groups in train.items():
    for group in groups:
        members[group].add(user)
common = {group: collections.Counter() for group in members}
for groups in train.values():
    for one, other in itertools.permutations(groups, 2):
        common[one][other] += 1


def cosine(one, other):
    return common[one][other] / math.sqrt(len(members[one]) * len(members[other]))


# The K best of each group: c²/n orders like the cosine; equal ones by the bytes of the id.
kept = {
    group: sorted(counts, key=lambda other: (-counts[other] ** 2 / len(members[other]), other.encode()))[:limit]
    for group, counts in common.items()
}


def is_stored(one, other):
    return other in kept[one] or one in kept[other]


def ranked(user, has_filter):
    """The first 20 with their scores."""
    scores = collections.defaultdict(float)
    for group in train[user]:
        for other in kept[group]:
            scores[other] += cosine(group, other)
    for group in list(scores):
        is_close = any(is_stored(group, mine) and cosine(group, mine) >= CEILING for mine in train[user])
        if group in train[user] or has_filter and is_close:
            del scores[group]
    # Rounded, so that sums of the same cosines in another order are equal.
    order = sorted(scores, key=lambda group: (-round(scores[group], 9), group.encode()))
    values = [scores[group] for group in order[: LENGTH + 1]]
    gaps = [one - other for one, other in zip(values, values[1:]) if one - other > 1e-9]
    return [(group, scores[group]) for group in order[:LENGTH]], min(gaps, default=1)


def similarity(groups, pair_value):
    pairs = list(itertools.combinations(groups, 2))
    return sum(pair_value(*pair) for pair in pairs) / len(pairs) if pairs else 0


def measured(has_filter):
    sums = collections.Counter()
    tested, least_gap = 0, 1
    for user in users:
        list_, gap = ranked(user, has_filter)
        groups = [group for group, _ in list_]
        least_gap = min(least_gap, gap)
        baseline = sum(score for _, score in ranked(user, False)[0])
        sums["stored"] += similarity(groups, lambda one, other: cosine(one, other) if is_stored(one, other) else 0)
        sums["exact"] += similarity(groups, cosine)
        sums["scored"] += baseline > 0
        sums["worth"] += sum(score for _, score in list_) / baseline if baseline else 0
        held = test.get(user, set()) - train[user]
        if held:
            tested += 1
            hits = [rank for rank, group in enumerate(groups, 1) if group in held]
            ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(LENGTH, len(held)) + 1))
            sums["recall"] += len(hits) / len(held)
            sums["gain"] += sum(1 / math.log2(rank + 1) for rank in hits) / ideal
    return sums, tested, least_gap


raw, tested, gap = measured(False)
filtered, _, other_gap = measured(True)
least_gap = min(gap, other_gap)
print(f"{len(users)} members, {tested} of them with groups held out; scores differ by {least_gap:.1e} or more")
for name, sums in (("raw", raw), ("filtered", filtered)):
    print(
        f"{name}: storedCut {1 - sums['stored'] / raw['stored']:.6f} exactCut {1 - sums['exact'] / raw['exact']:.6f}"
        f" loss {1 - sums['worth'] / sums['scored']:.6f}"
        f" recall {sums['recall'] / tested:.6f} gain {sums['gain'] / tested:.6f}"
        f" (mean similarity {sums['stored'] / len(users):.6f}, {sums['exact'] / len(users):.6f})"
    )
