public import Model
import SQLite

/// Something a member did with a group, by external ids, as clients send it and as catalogs and journals store it.
public struct InteractionRecord: Sendable, Equatable, Codable {
    /// The client's id of it, unique per member; a second interaction with the same id changes nothing.
    public var id: String
    /// What was done.
    public var kind: Interaction.Kind
    /// The group's external id.
    public var groupID: String
    /// When, in Unix milliseconds.
    public var atMilliseconds: Int64
    /// The list in which the group was shown, if there was one.
    public var recommendationID: String?
    /// The position it had there, from 1.
    public var position: Int?
    /// The variant of an experiment that the member was in.
    public var variant: String?

    /// An interaction.
    public init(
        id: String, _ kind: Interaction.Kind, groupID: String, atMilliseconds: Int64, recommendationID: String? = nil,
        position: Int? = nil, variant: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.groupID = groupID
        self.atMilliseconds = atMilliseconds
        self.recommendationID = recommendationID
        self.position = position
        self.variant = variant
    }
}

extension InteractionRecord {
    /// Whether another one says the same, but for the time: of an interaction that is sent without a time, it is that
    /// of its arrival.
    private func says(theSameAs other: InteractionRecord) -> Bool {
        func isSame(_ left: String?, _ right: String?) -> Bool {
            left.map(BytewiseString.init) == right.map(BytewiseString.init)
        }
        return kind == other.kind && groupID.hasSameBytes(as: other.groupID) && position == other.position
            && isSame(recommendationID, other.recommendationID) && isSame(variant, other.variant)
    }

    /// The index of the first interaction that has the id of another, before it or known, and says something else.
    ///
    /// - Parameter known: selects what `all` reads; its parameters are the user's id and that of an interaction.
    static func indexOfOtherContent(in interactions: [InteractionRecord], ofUser user: String, _ known: Statement)
        throws(DatabaseError) -> Int?
    {
        var first: [BytewiseString: InteractionRecord] = [:]
        for (index, interaction) in interactions.enumerated() {
            let id = BytewiseString(interaction.id)
            if first[id] == nil {
                known.bind(user, at: 1)
                known.bind(interaction.id, at: 2)
                defer { known.reset() }
                first[id] = try all(in: known).first ?? interaction
            }
            if let first = first[id], !interaction.says(theSameAs: first) { return index }
        }
        return nil
    }
}

extension [InteractionRecord] {
    /// Makes all of them later than an instant, in Unix milliseconds; the time between them stays.
    public mutating func move(after instant: Int64) {
        guard let earliest = map(\.atMilliseconds).min(), earliest <= instant else { return }
        for index in indices { self[index].atMilliseconds += instant + 1 - earliest }
    }
}

extension Interaction {
    /// An interaction in terms of a model version; nil if the version does not have the group.
    public init?(_ record: InteractionRecord, in model: VisibleModel) {
        guard let group = model.index(ofID: record.groupID) else { return nil }
        self.init(record.kind, group: UInt32(group), atMilliseconds: record.atMilliseconds)
    }
}

extension Interaction.Kind {
    /// Its number in catalogs and journals.
    var code: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }

    init?(code: Int64) {
        guard Self.allCases.indices.contains(Int(code)) else { return nil }
        self = Self.allCases[Int(code)]
    }

    /// Whether it changes who is in a group.
    var changesMembership: Bool { self == .join || self == .leave }
}

extension InteractionRecord {
    /// The interactions of a query's rows.
    ///
    /// - Parameters:
    ///   - rows: of an id, a kind's number, a group's external id, a time, and the list it came from: its id, the
    ///     position in it and the variant.
    ///   - isWanted: whether a row is.
    static func all(in rows: Statement, where isWanted: (Statement) -> Bool = { _ in true }) throws(DatabaseError)
        -> [InteractionRecord]
    {
        var interactions: [InteractionRecord] = []
        while try rows.step() {
            guard isWanted(rows), let kind = Interaction.Kind(code: rows.integer(1)) else { continue }
            interactions.append(
                InteractionRecord(
                    id: rows.text(0), kind, groupID: rows.text(2), atMilliseconds: rows.milliseconds(3),
                    recommendationID: rows.optionalText(4), position: rows.optionalInteger(5).map { Int($0) },
                    variant: rows.optionalText(6)))
        }
        return interactions
    }
}
