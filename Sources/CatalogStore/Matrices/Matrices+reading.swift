package import Basics
package import Model
import SQLite
import Synchronization

extension Matrices {
    package func matrix(
        _ source: RelationSource, keeping window: ActivityWindow? = nil,
        progress: @escaping @Sendable (_ rows: Int) -> Void
    ) throws(Failure) -> MatrixReading {
        let plan = try MatrixPlan(catalog, source, groups: groups())
        let window = plan.hasTimes ? window : nil
        let rowsRead = Atomic<Int>(0)
        let parts = try readParts(plan.ranges.count) { catalog, number throws(Failure) in
            let part = try MatrixPart.read(plan, number, window, from: catalog.database)
            progress(rowsRead.add(part.rowsRead, ordering: .relaxed).newValue)
            return part
        }
        try database.checkCount(parts.reduce(0) { $0 + $1.rowsRead }, of: source.table)
        return try plan.assemble(parts, window)
    }

    /// The number of users that a thread reads at a time.
    private static let usersPerPart = 4096

    package func memberships<Part: Sendable>(
        _ source: RelationSource, _ make: @Sendable (UserMemberships) throws(Failure) -> Part
    ) throws(Failure) -> [Part] {
        let plan = try MatrixPlan(catalog, source, groups: groups())
        let count = (plan.columnCount + Self.usersPerPart - 1) / Self.usersPerPart
        return try readParts(count) { catalog, number throws(Failure) in
            let first = number * Self.usersPerPart
            return try make(
                UserMemberships(
                    plan, of: first..<min(first + Self.usersPerPart, plan.columnCount), from: catalog.database))
        }
    }

    package func talk(_ source: RelationSource, after start: Int64, until end: Int64) throws(Failure)
        -> [GroupTalk]
    {
        let plan = try MatrixPlan(catalog, source, groups: groups())
        let (group, time, answers) = (source.rowColumn, source.timeColumn, source.answerColumn ?? "0")
        let parts = try readParts(plan.ranges.count) { catalog, number throws(Failure) in
            let rows = try catalog.database.prepare(
                """
                SELECT \(group), count(*), sum(\(answers)) FROM \(source.table)
                WHERE \(group) BETWEEN ?1 AND ?2 AND \(time) > ?3 AND \(time) <= ?4 GROUP BY \(group)
                """)
            let range = plan.ranges[number]
            for (index, value) in [Int64(range.lowerBound), Int64(range.upperBound - 1), start, end].enumerated() {
                rows.bind(value, at: Int32(index + 1))
            }
            var found: [(row: Int32, talk: GroupTalk)] = []
            while try rows.step() {
                let key = Int(rows.integer(0))
                guard plan.rowOfGroup.indices.contains(key), plan.rowOfGroup[key] >= 0 else { continue }
                let (posts, answers) = (Int(rows.integer(1)), Int(rows.integer(2)))
                found.append((plan.rowOfGroup[key], GroupTalk(posts: posts, answers: answers)))
            }
            return found
        }
        var talks = [GroupTalk](repeating: GroupTalk(), count: plan.rowCount)
        for (row, talk) in parts.joined() { talks[Int(row)] = talk }
        return talks
    }
}
