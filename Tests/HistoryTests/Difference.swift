import Model

/// A part of an answer that is not as it should be.
struct Difference: Hashable, Sendable, CustomStringConvertible {
    let moment: Moment
    let reader: ReaderName
    let field: Field
    /// The group, or the answer as a whole.
    let subject: String
    let says: String
    let expected: String

    /// The kind of the difference, without the moment and the one who answers.
    var kind: String { "\(field) of \(reader.rawValue)" }

    /// Whether two sites, with versions of their own, list other things.
    var isBetweenSites: Bool {
        [.list, .hints, .photos, .contacts].contains(field) && ![.folder2, .folderCommand].contains(reader)
            && reader.witness(of: field, at: moment) == .folder1
    }

    var description: String { "\(moment), \(reader.rawValue), \(field): \(says); expected: \(expected)" }
}

extension [Asked] {
    /// The differences from the reference, and between readers of what has none.
    var differences: [Difference] {
        var found = flatMap(\.differences)
        for moment in Moment.all {
            let asked = filter { $0.moment == moment }
            for one in asked {
                for field in [Field.list, .hints, .photos, .contacts] {
                    guard let witness = one.reader.witness(of: field, at: moment),
                        let other = asked.first(where: { $0.reader == witness }),
                        // What differs in the profile differs in the list as well.
                        one.differences.isEmpty, other.differences.isEmpty,
                        let mine = one.answer[field], let theirs = other.answer[field], mine != theirs
                    else { continue }
                    found.append(
                        Difference(
                            moment: moment, reader: one.reader, field: field, subject: "",
                            says: mine.joined(separator: " "),
                            expected: theirs.joined(separator: " ") + ", as says " + witness.rawValue))
                }
            }
        }
        return found
    }
}

extension Asked {
    var differences: [Difference] {
        func difference(_ field: Field, _ subject: String, _ says: String, _ expected: String) -> Difference {
            Difference(
                moment: moment, reader: reader, field: field, subject: subject, says: says, expected: expected)
        }
        var found: [Difference] = []
        for field in Field.allCases {
            guard let expected = expected[field], let says = answer[field], says != expected else { continue }
            guard field != .history, field != .interests else {
                found.append(difference(field, "", "\(says)", "\(expected)"))
                continue
            }
            for subject in Set(says).symmetricDifference(expected).sorted() {
                let has = says.contains(subject)
                found.append(
                    difference(
                        field, String(subject.prefix(3)), has ? subject : "not \(subject)",
                        has ? "not \(subject)" : subject))
            }
        }
        return found
    }
}

extension ReaderName {
    /// The reader whose answer is the same, or nil if there is none.
    func witness(of field: Field, at moment: Moment) -> ReaderName? {
        switch self {
        case .folder1: nil
        case .folder2, .folderCommand: .folder1
        case .redis2: .redis1
        case .redis1, .redisWithCatalog: moment.isFresh ? .folder1 : nil
        // The catalog beside Redis lacks what other members did since the version.
        case .redisCommand: moment.isFresh || (field != .photos && field != .contacts) ? .folder1 : .redisWithCatalog
        }
    }
}
