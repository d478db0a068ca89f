import Changes
import Model

extension ExchangeSimulation {
    /// Something bad happens.
    mutating func damage(_ place: Int) {
        switch random(14) {
        case 0: server = SimulatedServer()
        case 1, 2, 3: if let origin = randomStream() { server.streams[origin] = nil }
        case 4: if let origin = randomStream() { server.listed.remove(origin) }
        case 5: server.listed = []
        case 6: if let origin = randomStream() { removeEntry(of: origin) }
        case 7: staleServer = server
        case 8: server = staleServer
        case 9: daemons[place].clockOffset = [0, 1_000_000, -1_000_000, Int64(random(1000))][random(4)]
        case 10: if let version = server.versions.first { server.current = version }
        case 11: daemons[place].backup = daemons[place].file
        case 12: restore(place)
        default: copy(place)
        }
    }

    private mutating func randomStream() -> String? {
        let origins = server.streams.keys.sorted()
        return origins.isEmpty ? nil : origins[random(origins.count)]
    }

    private mutating func removeEntry(of origin: String) {
        guard let changes = server.streams[origin]?.changes, !changes.isEmpty else { return }
        let place = changes.startIndex + random(changes.count)
        server.streams[origin]?.changes.remove(at: place)
    }

    /// The disk of a daemon is replaced by a backup: what was on no other disk may be lost, which nobody can help.
    private mutating func restore(_ place: Int) {
        let lost = daemons[place].file
        daemons[place].file = daemons[place].backup
        start(place)
        for change in lost.rows.values.joined() where !daemons.contains(where: { $0.file.has(change.id) }) {
            isAcknowledged[change.id] = false
        }
    }

    /// A daemon is started on a copy of another one's journal.
    private mutating func copy(_ place: Int) {
        guard daemons.count < 4 else { return }
        daemons.append(SimulatedDaemon(file: daemons[place].file, origin: newOrigin(), served: daemons[place].served))
    }

    /// Ends all trouble, and checks that all is well soon.
    mutating func heal() throws(Fault) {
        for place in daemons.indices where !daemons[place].isUp { start(place) }
        (recompute, mayBeKilled) = (.idle, false)
        // Once with what was known, once with what waited for the new version.
        for _ in 0..<2 {
            try settle()
            repeat { try advanceRecompute() } while !isIdle
            for place in daemons.indices { daemons[place].served = server.current }
        }
        try settle()
        if let id = isAcknowledged.indices.first(where: { isAcknowledged[$0] && !isApplied[$0] }) {
            throw Fault(
                description: "change \(id) of \(isAcknowledged.count) was acknowledged, and is not in the catalog")
        }
    }

    private var isIdle: Bool { if case .idle = recompute { true } else { false } }

    /// Lets the daemons exchange until nobody can do any more.
    private mutating func settle() throws(Fault) {
        for _ in 0..<400 {
            var isQuiet = true
            for place in daemons.indices {
                daemons[place].steps = []
                try work(place)
                while let step = daemons[place].steps.first {
                    let kept = daemons[place].file.kept
                    try work(place)
                    switch step {
                    case .wait: break
                    case .take: if daemons[place].file.kept != kept { isQuiet = false }
                    case .add: isQuiet = false
                    }
                }
            }
            if isQuiet { return }
        }
        throw Fault(description: "the daemons do not come to an end")
    }
}
