public import Model

extension TableSnapshot {
    private static let sampledEntries = 20_000
    private static let rowsPerSample = 64

    /// Estimates the work that each of some matrices makes.
    public func workEstimates(_ sources: [RelationSource], recentWeeks: Int) throws(CatalogError) -> [WorkEstimate] {
        var estimates: [WorkEstimate] = []
        for source in sources { estimates.append(try workEstimate(source, recentWeeks: recentWeeks)) }
        return estimates
    }

    /// Rows are counted, Σ d² and recent rows are estimated from samples.
    private func workEstimate(_ source: RelationSource, recentWeeks: Int) throws(CatalogError) -> WorkEstimate {
        let parts = folder[source.table]
        // What members said later comes on top.
        let isMembership = source.table == RelationSource.memberships.table
        let said = isMembership ? numbers.settled.values.reduce(0) { $0 + $1.count } : 0
        let rows = folder.manifest.rowCount(source.table) + said
        let entities = folder.manifest.rowCount(source.entityTable.rawValue)
        let step = UInt32(clamping: max(1, entities / Self.sampledEntries))
        var degrees = [Double](repeating: 0, count: entities / Int(step) + 1)
        var last = Int64.min
        for part in parts {
            part.withColumn("entry", of: UInt32.self) { entries in
                for row in 0..<entries.count where entries[row].isMultiple(of: step) {
                    if Int(entries[row] / step) < degrees.count { degrees[Int(entries[row] / step)] += 1 }
                }
            }
            forEachSampledTime(of: part) { last = max(last, $0) }
        }
        let sum = degrees.reduce(0, +)
        let squares = degrees.reduce(0) { $0 + $1 * $1 }
        var recent = 0
        let first = last == .min ? last : last - Int64(recentWeeks) * ActivityCalendar.weekSeconds
        for part in parts { forEachSampledTime(of: part) { if $0 > first { recent += Self.rowsPerSample } } }
        return WorkEstimate(
            rows: rows, increments: sum > 0 ? Double(rows) * squares / sum : 0,
            hasDates: parts.contains { $0.has("time") }, recentRows: min(recent, rows))
    }

    private func forEachSampledTime(of part: TablePart, _ body: (Int64) -> Void) {
        part.withColumn("time", of: Int64.self) { times in
            for row in stride(from: 0, to: times.count, by: Self.rowsPerSample) where times[row] != .min {
                body(times[row])
            }
        }
    }

    /// Estimates how much content the photos have, from the tags of some of them.
    public func contentEstimate() throws(CatalogError) -> ContentEstimate {
        let parts = folder["photos"]
        let photos = folder.manifest.rowCount("photos")
        guard photos > 0, try hasPhotoContent() else { return ContentEstimate() }
        var tags = 0
        for part in parts where part.has("tags") {
            for row in stride(from: 0, to: part.rowCount, by: Self.rowsPerSample) {
                tags += part.withText("tags", row: row) { text in
                    (0..<text.count).reduce(text.isEmpty ? 0 : 1) { $0 + (text[$1] == UInt8(ascii: ";") ? 1 : 0) }
                }
            }
        }
        return ContentEstimate(
            photos: photos, tags: tags * Self.rowsPerSample, hasPlaces: parts.contains { $0.has("latitude") })
    }
}
