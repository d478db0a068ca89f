package import Basics
package import Model
import SQLite

extension CatalogSnapshot {
    /// Returns the posts of each shown group in a time, by row of a matrix.
    ///
    /// - Parameters:
    ///   - start: the time after which posts count, in Unix seconds, exclusive.
    ///   - end: the time of the last post that counts, inclusive.
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

extension TableSnapshot {
    /// Returns the posts of each shown group in a time, by row of a matrix.
    package func talk(_ source: RelationSource, after start: Int64, until end: Int64) throws(Failure)
        -> [GroupTalk]
    {
        var counts = [(posts: Int, answers: Int)](
            repeating: (0, 0), count: numbers.rowOfGroup.count { $0 >= 0 })
        for part in folder[source.table] {
            part.withColumn("group", of: UInt32.self) { groups in
                part.withColumn("entry", of: UInt32.self) { users in
                    part.withColumn("time", of: Int64.self) { times in
                        part.withColumn(source.answerColumn ?? "", of: UInt32.self) { answers in
                            for index in times.indices where times[index] > start && times[index] <= end {
                                guard Int(groups[index]) < numbers.groupOfTable.count,
                                    !numbers.isForgotten.contains(Int(users[index]))
                                else { continue }
                                let row = numbers.rowOfGroup[Int(numbers.groupOfTable[Int(groups[index])])]
                                guard row >= 0 else { continue }
                                counts[Int(row)].posts += 1
                                if !answers.isEmpty, answers[index] > 0 { counts[Int(row)].answers += 1 }
                            }
                        }
                    }
                }
            }
        }
        return counts.map { GroupTalk(posts: $0.posts, answers: $0.answers) }
    }
}
