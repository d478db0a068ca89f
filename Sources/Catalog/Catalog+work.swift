import SQLite

/// How much there is to compare in a matrix.
public struct WorkEstimate: Sendable, Equatable {
    /// Memberships, or entries of pools: exact.
    public var rows: Int
    /// Σ d(u)² over users or photos u in d(u) groups, the increments of a full count: estimated from a sample.
    public var increments: Double

    /// An amount of work.
    public init(rows: Int, increments: Double) {
        self.rows = rows
        self.increments = increments
    }
}

extension Catalog {
    /// How many memberships, or entries of pools, there are.
    public func rowCount(_ kind: MatrixKind) throws(CatalogError) -> Int {
        try wrapping { () throws(DatabaseError) in
            Int(try database.integer("SELECT count(*) FROM \(kind.table.name)") ?? 0)
        }
    }

    /// How many groups there are, public and private.
    public func groupCount() throws(CatalogError) -> Int {
        try wrapping { () throws(DatabaseError) in Int(try database.integer("SELECT count(*) FROM groups") ?? 0) }
    }

    /// Estimates the work that a matrix makes, in well under a second at any size.
    ///
    /// Σ d² = rows · (Σ d² / Σ d), the ratio taken over 20,000 users or photos, evenly spread. Heavy tails make it
    /// uncertain by some tenths of its value; the same catalog gives the same estimate.
    public func workEstimate(_ kind: MatrixKind) throws(CatalogError) -> WorkEstimate {
        let table = kind.table
        let entities = kind == .pools ? "photos" : "users"
        let rows = try rowCount(kind)
        return try wrapping { () throws(DatabaseError) in
            let highest = Int(try database.integer("SELECT max(\(table.entryColumn)) FROM \(entities)") ?? 0)
            guard rows > 0, highest > 0 else { return WorkEstimate(rows: rows, increments: 0) }
            let count = try database.prepare("SELECT count(*) FROM \(table.name) WHERE \(table.entryColumn) = ?")
            var (sum, squares) = (0.0, 0.0)
            for sample in 0..<min(highest, 20_000) {
                // A golden step spreads the sample over all keys whatever their order.
                let key =
                    highest <= 20_000
                    ? sample + 1
                    : 1
                        + Int(
                            (Double(sample) * 0.618_033_988_749_894_8).truncatingRemainder(dividingBy: 1)
                                * Double(highest))
                count.bind(Int64(key), at: 1)
                guard try count.step() else { continue }
                let degree = Double(count.integer(0))
                count.reset()
                sum += degree
                squares += degree * degree
            }
            return WorkEstimate(rows: rows, increments: sum > 0 ? Double(rows) * squares / sum : 0)
        }
    }
}
