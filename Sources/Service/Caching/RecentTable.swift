/// A dictionary that keeps what was used lately, and never more than a limit of it.
///
/// Entries live in two halves. When the younger is full, the older is dropped as a whole and the younger takes its
/// place; an entry that is found in the older moves to the younger. Whatever was used since the last such turn stays.
///
/// Complexity: O(1) on average for everything.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let weight: Int
    }

    private struct Half {
        var entries: [Key: Entry] = [:]
        var weight = 0

        mutating func remove(_ key: Key) -> Entry? {
            guard let entry = entries.removeValue(forKey: key) else { return nil }
            weight -= entry.weight
            return entry
        }
    }

    private let halfLimit: Int
    private var younger = Half()
    private var older = Half()

    /// A table whose entries weigh `limit` at most, all together; 2 or more.
    init(limit: Int) {
        precondition(limit >= 2, "a table of \(limit) cannot be halved")
        halfLimit = limit / 2
    }

    /// How many entries there are.
    var count: Int { younger.entries.count + older.entries.count }
    /// What all entries weigh.
    var weight: Int { younger.weight + older.weight }

    /// The value of a key, which counts as used.
    mutating func value(of key: Key) -> Value? {
        if let entry = younger.entries[key] { return entry.value }
        guard let entry = older.remove(key) else { return nil }
        insert(entry.value, for: key, weight: entry.weight)
        return entry.value
    }

    /// Puts a value in, or in the place of another; one that weighs more than half of the limit is not kept.
    ///
    /// - Parameter weight: 1 or more.
    mutating func insert(_ value: Value, for key: Key, weight: Int = 1) {
        precondition(weight > 0, "a weight of \(weight) would never fill the table")
        guard weight <= halfLimit else { return removeValue(of: key) }
        if let before = younger.entries.updateValue(Entry(value: value, weight: weight), forKey: key) {
            younger.weight -= before.weight
        } else {
            _ = older.remove(key)
        }
        younger.weight += weight
        if younger.weight > halfLimit { turn(keeping: key) }
    }

    /// Removes the value of a key, if it has one.
    mutating func removeValue(of key: Key) {
        if younger.remove(key) == nil { _ = older.remove(key) }
    }

    /// Removes all entries.
    mutating func removeAll() {
        younger = Half()
        older = Half()
    }

    /// Lets the older half go; the entry that did not fit begins the next one.
    private mutating func turn(keeping key: Key) {
        let entry = younger.remove(key)
        older = younger
        younger = Half()
        guard let entry else { return }
        younger = Half(entries: [key: entry], weight: entry.weight)
    }
}
