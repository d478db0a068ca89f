import Glibc

/// Requests at a rate or as many as are answered, over some connections from one thread.
struct RequestLoad {
    /// What became of the requests.
    struct Outcome {
        /// From the moment at which each was due to its answer, in milliseconds; ascending.
        var latencies: [Double] = []
        /// Answers of another status than 200.
        var failures = 0
        var seconds = 0.0

        var perSecond: Double { Double(latencies.count) / seconds }

        /// The least latency that such a part of all do not exceed.
        func latency(ofPart part: Double) -> Double {
            latencies.isEmpty ? .nan : latencies[min(latencies.count - 1, Int(part * Double(latencies.count)))]
        }
    }

    private struct Sent {
        let connection: ClientConnection
        var dueAt: UInt64?
    }

    let port: UInt16
    let connectionCount: Int
    /// Makes a request, as it is sent.
    let request: (inout RingModel.Generator) -> [UInt8]

    /// Sends requests for some seconds.
    ///
    /// - Parameter perSecond: how many become due a second on average, at moments that do not depend on one another nor
    ///   on answers (a Poisson process): those that find all connections busy wait, and their wait counts. Nil: as
    ///   many as are answered.
    func run(seconds: Double, perSecond: Double?, seed: UInt64) throws -> Outcome {
        var generator = RingModel.Generator(state: seed)
        var outcome = Outcome()
        var open = try (0..<connectionCount).map { _ in Sent(connection: try ClientConnection(port: port)) }
        let start = now
        let end = start + UInt64(seconds * 1e9)
        var due = start
        while true {
            for place in open.indices where open[place].dueAt == nil && due <= now && due < end {
                open[place].dueAt = perSecond == nil ? now : due
                try open[place].connection.send(request(&generator))
                due =
                    perSecond.map {
                        due + UInt64(-log(Double.random(in: .leastNonzeroMagnitude..<1, using: &generator)) / $0 * 1e9)
                    } ?? now
            }
            let isBusy = open.contains { $0.dueAt != nil }
            guard isBusy || due < end else { break }
            try receive(&open, until: due < end && open.contains { $0.dueAt == nil } ? due : .max, &outcome)
        }
        outcome.seconds = Double(now - start) / 1e9
        outcome.latencies.sort()
        return outcome
    }

    /// Waits until something has come or a moment has, and takes what has come.
    private func receive(_ open: inout [Sent], until moment: UInt64, _ outcome: inout Outcome) throws {
        var sockets = open.map {
            pollfd(fd: $0.dueAt == nil ? -1 : $0.connection.socket, events: Int16(POLLIN), revents: 0)
        }
        // Whole milliseconds only: the rest of the way is spun, so that requests go out when they are due.
        let milliseconds = min((moment - min(moment, now)) / 1_000_000, 1000)
        guard unsafe poll(&sockets, nfds_t(sockets.count), Int32(milliseconds)) > 0 else { return }
        for place in open.indices where sockets[place].revents != 0 {
            guard let response = try open[place].connection.receive(), let due = open[place].dueAt else { continue }
            outcome.latencies.append(Double(now - due) / 1e6)
            if response.status != 200 { outcome.failures += 1 }
            open[place].dueAt = nil
        }
    }

    /// Nanoseconds of the monotonic clock.
    private var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
