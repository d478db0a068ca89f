/// A dictionary with eviction of entries that were not used lately, and with a limit on its weight.
///
/// Entries are in two halves. When the younger half is full, the older one is dropped, and the younger takes its place.
/// An entry that is found in the older half moves to the younger. So every entry used since the last exchange stays.
///
/// - Complexity: O(1) on average for every operation.
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

    /// Creates a table with a limit on the total weight of its entries, 2 or more.
    init(limit: Int) {
        precondition(limit >= 2, "a table of \(limit) cannot be halved")
        halfLimit = limit / 2
    }

    var count: Int { younger.entries.count + older.entries.count }
    /// The total weight of the entries.
    var weight: Int { younger.weight + older.weight }

    /// Returns the value of a key, and counts it as used.
    mutating func value(of key: Key) -> Value? {
        if let entry = younger.entries[key] { return entry.value }
        guard let entry = older.remove(key) else { return nil }
        insert(entry.value, for: key, weight: entry.weight)
        return entry.value
    }

    /// Sets the value of a key; a value that weighs more than half of the limit is not kept.
    ///
    /// - Parameters:
    ///   - key: the key, whose old value is replaced.
    ///   - weight: the weight of the entry, 1 or more.
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

    /// Removes the value of a key, if there is one.
    mutating func removeValue(of key: Key) {
        if younger.remove(key) == nil { _ = older.remove(key) }
    }

    mutating func removeAll() {
        younger = Half()
        older = Half()
    }

    /// Drops the older half; the entry that did not fit begins the next younger half.
    private mutating func turn(keeping key: Key) {
        let entry = younger.remove(key)
        older = younger
        younger = Half()
        guard let entry else { return }
        younger = Half(entries: [key: entry], weight: entry.weight)
    }
}
