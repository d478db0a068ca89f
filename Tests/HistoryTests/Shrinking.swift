/// A difference that a history shows, to be shown by as few events as possible.
struct Finding: Sendable {
    var history: History
    /// Whether some differences of another history are of the same kind.
    let isSame: @Sendable ([Difference], History) -> Bool
}

extension World {
    /// Returns the differences of each member.
    func differences() throws -> [String: [Difference]] { try play().members.mapValues(\.differences) }

    /// Returns for each finding the shortest history that shows it; the site decides the same.
    ///
    /// All histories of up to three events are tried together, and then single events are dropped one by one.
    static func shortest(of findings: [Finding], _ decisions: [Decision]) throws -> [History] {
        var found = findings.map(\.history)
        for size in 1...3 {
            let open = findings.indices.filter { found[$0].slots.count > size && found[$0] == findings[$0].history }
            try replace(&found, at: open, of: findings, decisions) { $0.parts(of: size) }
        }
        var open = findings.indices.filter { found[$0].slots.count > 3 && found[$0] == findings[$0].history }
        while !open.isEmpty {
            let before = found
            try replace(&found, at: open, of: findings, decisions) { history in history.slots.map(history.without) }
            open.removeAll { found[$0] == before[$0] }
        }
        return found
    }

    /// Replaces histories by the first of some shorter ones that shows the same.
    private static func replace(
        _ found: inout [History], at open: [Int], of findings: [Finding], _ decisions: [Decision],
        by shorter: (History) -> [History]
    ) throws {
        var histories: [String: History] = [:]
        var names: [Int: [String]] = [:]
        for number in open {
            for history in shorter(found[number]) {
                let name = "s\(histories.count)"
                histories[name] = history
                names[number, default: []].append(name)
            }
        }
        guard !histories.isEmpty else { return }
        let differences = try World(histories: histories, decisions: decisions).differences()
        for (number, names) in names {
            let first = names.lazy.compactMap { name in histories[name].map { (name, $0) } }
                .first { findings[number].isSame(differences[$0] ?? [], $1) }
            if let first { found[number] = first.1 }
        }
    }
}

extension History {
    /// Returns the histories with some of these events.
    fileprivate func parts(of size: Int) -> [History] {
        func subsets(_ slots: ArraySlice<Int>, _ size: Int) -> [[Int]] {
            guard size > 0 else { return [[]] }
            return slots.indices.flatMap { index in
                subsets(slots[(index + 1)...], size - 1).map { [slots[index]] + $0 }
            }
        }
        return subsets(slots[...], size).map { kept in
            var part = self
            for slot in slots where !kept.contains(slot) { part.events[slot] = nil }
            return part
        }
    }
}
