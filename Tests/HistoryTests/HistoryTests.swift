import Model
import TestSupport
import Testing

/// Members are read from catalogs, versions and journals: all readers must give the same answers.
@Suite(
    "Histories of members", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct HistoryTests {
    @Test("All readers say what the rule says, but for known differences", arguments: [1, 2] as [UInt64])
    func random(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        var histories: [String: History] = [:]
        for number in 0..<100 { histories["m" + String(1000 + number).dropFirst()] = generator.history() }
        let world = World(histories: histories, decisions: generator.decisions())
        let (members, site) = try world.play()
        // A known difference in who is in a group makes two versions that differ, and so do the lists of all.
        let unequal = Set(
            members.values.flatMap { asked in
                asked.flatMap(\.differences).filter { $0.field == .joined && $0.reader == .redis1 }.map(\.moment)
            })
        var found: [String: (member: String, finding: Finding, first: Difference)] = [:]
        for (member, asked) in members.sorted(by: { $0.key < $1.key }) {
            guard let history = histories[member] else { continue }
            for difference in asked.differences where !KnownDifference.covers(difference, of: history) {
                guard !(difference.isBetweenSites && unequal.contains(difference.moment)) else { continue }
                let kind = difference.kind
                let finding = Finding(history: history) { differences, history in
                    differences.contains { $0.kind == kind && !KnownDifference.covers($0, of: history) }
                }
                if found[kind] == nil { found[kind] = (member, finding, difference) }
            }
        }
        try report(found.sorted { $0.key < $1.key }.prefix(4).map(\.value), of: world, seed: seed)
        for moment in Moment.all {
            for (reader, says) in site[moment, default: [:]] {
                #expect(says == site[moment]?[.folder1], "seed \(seed), \(moment), \(reader.rawValue)")
            }
            let hidden = Names.groups.filter { world.hides($0, at: moment) }.map { "\($0) hidden" }
            let says = site[moment]?[.folder1]?.filter { $0.hasSuffix("hidden") }
            #expect(says == hidden, "seed \(seed), \(moment)")
        }
    }

    /// Records what was found, with the shortest histories that show it.
    private func report(
        _ found: [(member: String, finding: Finding, first: Difference)], of world: World, seed: UInt64
    ) throws {
        guard !found.isEmpty else { return }
        let shortest = try World.shortest(of: found.map(\.finding), world.decisions)
        let names = shortest.indices.map { "s\($0)" }
        let histories = Dictionary(uniqueKeysWithValues: zip(names, shortest))
        let differences = try World(histories: histories, decisions: world.decisions).differences()
        for (number, history) in shortest.enumerated() {
            let said = (differences[names[number]] ?? []).filter { !KnownDifference.covers($0, of: history) }
            Issue.record(
                """
                seed \(seed), member \(found[number].member): \(found[number].first); in short:
                \(history)
                \(world.decisions.isEmpty ? "" : "with decisions of the site:\n")\
                \(world.decisions.map(\.description).joined(separator: "\n"))
                \(said.map { "  ! \($0)" }.joined(separator: "\n"))
                """)
        }
    }

    @Test("A known difference is still there", arguments: KnownDifference.all)
    func known(_ difference: KnownDifference) throws {
        let said = try KnownDifference.played.get()[difference.title] ?? []
        let covered = said.filter { difference.covers($0, difference.example) }
        withKnownIssue("\(difference.title): \(difference.reason)") {
            #expect(covered.isEmpty)
        }
        // Nothing else may be wrong with the example.
        let others = said.filter { !KnownDifference.covers($0, of: difference.example) }
        #expect(others.isEmpty, "\(difference.example)")
    }

}
