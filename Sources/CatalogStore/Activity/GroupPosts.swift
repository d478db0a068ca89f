package import Basics
package import Model

extension TableSnapshot {
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
