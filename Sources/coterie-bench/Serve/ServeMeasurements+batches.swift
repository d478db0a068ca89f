extension ServeMeasurements {
    /// The most that the 99th percentile may grow by another client's batches.
    private static let batchBound = 2.0

    /// The latency of single lists at half of their peak rate, without and with another client that sends batches all
    /// the time.
    func batches(seconds: Double, connections: Int, uncachedPercent: Int) throws -> String {
        let load = mix(connections: connections, uncachedPercent: uncachedPercent, firstSession: 2_000_000)
        let rate = try load.run(seconds: seconds, perSecond: nil, seed: 3).perSecond / 2
        let alone = try load.run(seconds: seconds, perSecond: rate, seed: 4)
        let client = try BatchClient(
            port: servers.daemonPort, members: scene.size.members, token: scene.serviceToken)
        let together = try load.run(seconds: seconds, perSecond: rate, seed: 5)
        let batches = client.stop()
        let (before, after) = (alone.latency(ofPart: 0.99), together.latency(ofPart: 0.99))
        return """
            {"benchmark":"serve","row":"batches","uncachedPercent":\(uncachedPercent),"connections":\(connections),\
            "perSecond":\(Measuring.fixed(rate, 0)),"batches":\(batches.answers),\
            "failures":\(alone.failures + together.failures + batches.failures),\
            "p99MillisecondsAlone":\(Measuring.fixed(before)),"p99Milliseconds":\(Measuring.fixed(after)),\
            "ratio":\(Measuring.fixed(after / before)),"atMost":\(Self.batchBound)}
            """
    }
}
