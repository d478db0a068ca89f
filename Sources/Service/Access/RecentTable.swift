/// A dictionary that keeps what was used lately, and never more than a number of entries.
///
/// Entries live in two halves. When the younger is full, the older is dropped as a whole and the younger takes its
/// place; an entry that is found in the older moves to the younger. Whatever was used since the last such turn stays.
///
/// Complexity: O(1) on average for everything.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let halfLimit: Int
    private var younger: [Key: Value] = [:]
    private var older: [Key: Value] = [:]

    /// A table of at most `limit` entries, 2 or more.
    init(limit: Int) {
        precondition(limit >= 2, "a table of \(limit) entries cannot be halved")
        halfLimit = limit / 2
    }

    /// How many entries there are.
    var count: Int { younger.count + older.count }

    /// The value of a key, which counts as used.
    mutating func value(of key: Key) -> Value? {
        if let value = younger[key] { return value }
        guard let value = older.removeValue(forKey: key) else { return nil }
        insert(value, for: key)
        return value
    }

    /// Puts a value in, or in the place of another.
    mutating func insert(_ value: Value, for key: Key) {
        guard younger.updateValue(value, forKey: key) == nil else { return }
        older.removeValue(forKey: key)
        guard younger.count >= halfLimit else { return }
        older = younger
        younger = [:]
    }

    /// Removes all entries.
    mutating func removeAll() {
        younger = [:]
        older = [:]
    }
}
