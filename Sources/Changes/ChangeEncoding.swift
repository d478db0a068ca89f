import Basics
import Model

/// The keys of a change's JSON.
///
/// A key never gets another meaning. A program treats an unknown key, kind or version as a sign of a newer program.
enum ChangeField: String, CaseIterable {
    /// The version of the encoding, and the number of the `ChangeKind`.
    case version = "v", kind
    /// External ids, and the table of a relation.
    case user, group, photo, table
    /// The new external id of the user or the group.
    case to
    /// The time of the site's decision, in Unix milliseconds.
    case at
    /// The id of a forgotten interaction.
    case interaction
    /// Interactions, each with the fields of `InteractionField`.
    case interactions
    /// The stated interests, as texts.
    case interests
    /// Pages that were shown, each with the fields of `ExposureField`.
    case exposures
    /// The position of a curated group, and the start and end of its curation, in Unix seconds.
    case position, starts, expires
    /// 1 if the member's photos are removed as well.
    case photos
}

/// The keys of an interaction.
enum InteractionField: String, CaseIterable {
    /// The client's id, and the number of the `Interaction.Kind`.
    case id, kind
    /// The external id of the group, the photo or the followed member; the time, in Unix milliseconds.
    case group, photo, user, at
    /// The list that showed the group, its position there, the variant of an experiment, the seconds of a view or
    /// pause.
    case list, position, variant, seconds
}

extension InteractionField {
    /// The key of a subject's external id.
    fileprivate init(_ subject: Interaction.Kind.Subject) {
        switch subject {
        case .group: self = .group
        case .photo: self = .photo
        case .user: self = .user
        }
    }
}

/// The keys of an exposure.
enum ExposureField: String, CaseIterable {
    /// The names of the experiment and its arm, and the id of the list.
    case experiment, arm, list
    /// The rank of the page's first group, the number of groups on the page, and the filters.
    case first, count, filters
    /// The list that each group is credited to.
    case teams
    /// The number of showings, the first and last time in Unix milliseconds, and the time that the answers took.
    case times, firstAt, lastAt, microseconds
    /// The marks of the shown groups, and the fingerprint of the daemon's settings of lists.
    case shown, settings
}

extension Change {
    /// The version of the encoding that this program writes.
    static let encodingVersion: Int64 = 1

    /// The bytes of an erased or replaced change.
    static let nothing = Fields<ChangeField>([(.version, 1), (.kind, ChangeKind.nothing.rawValue)]).object.written()

    /// The change as JSON: the fields of its kind, in the order of `ChangeField`.
    package var encoded: [UInt8] {
        var fields = Fields<ChangeField>([(.version, Self.encodingVersion), (.kind, kind.rawValue)])
        switch self {
        case .member(let change):
            fields.set(.user, change.userID)
            switch change.action {
            case .record(let records):
                fields.set(.interactions, .list(records.map(\.json)))
            case .forget(let id): fields.set(.interaction, id)
            case .state(let interests): fields.set(.interests, .list(interests.map { .text($0) }))
            case .expose(let records): fields.set(.exposures, .list(records.map(\.json)))
            }
        case .site(let change):
            fields.set(.group, change.groupID)
            fields.set(.at, change.atMilliseconds)
            guard case .curate(let position, let startsAt, let expiresAt) = change.action else { break }
            fields.set(.position, position.map { Int64($0) })
            fields.set(.starts, startsAt)
            fields.set(.expires, expiresAt)
        case .removal(let change):
            for (key, text) in change.subject.fields { fields.set(key, text) }
            if case .member(_, withPhotos: true) = change.subject { fields.set(.photos, 1) }
            fields.set(.at, change.atMilliseconds)
        case .renaming(let change):
            fields.set(change.subject == .group ? .group : .user, change.oldID)
            fields.set(.to, change.newID)
            fields.set(.at, change.atMilliseconds)
        }
        return fields.object.written()
    }

    /// Reads the bytes that `encoded` gave.
    ///
    /// The checksum has already shown that the bytes are whole. Whole bytes that this program cannot read are from a
    /// newer program.
    static func read(_ bytes: [UInt8]) -> JournaledChange.Content {
        guard let json = JSON(bytes, isStrict: true, depthLimit: 4), var fields = Fields<ChangeField>(json),
            fields.integer(.version) == encodingVersion, let number = fields.integer(.kind),
            let kind = ChangeKind(rawValue: number)
        else { return .newer }
        guard kind != .nothing else { return fields.isUsedUp ? .nothing : .newer }
        guard let change = Change(kind, &fields), fields.isUsedUp, change.hasPossibleTimes else { return .newer }
        return .change(change)
    }

    /// Creates a change of a kind from its fields, or nil if a field is missing or has another type.
    private init?(_ kind: ChangeKind, _ fields: inout Fields<ChangeField>) {
        switch kind {
        case .nothing: return nil
        case .interactions, .forgetInteraction, .forgetInteractions, .interests, .exposures:
            guard let user = fields.text(.user), let action = MemberChange.Action(kind, &fields) else { return nil }
            self = .member(MemberChange(ofUser: user, action))
        case .hide, .unhide, .curate, .uncurate:
            guard let group = fields.text(.group), let at = fields.integer(.at) else { return nil }
            let action: SiteChange.Action =
                switch kind {
                case .hide: .hide
                case .unhide: .unhide
                case .curate:
                    .curate(
                        position: fields.integer(.position).map { Int($0) }, startsAt: fields.integer(.starts),
                        expiresAt: fields.integer(.expires))
                default: .uncurate
                }
            self = .site(SiteChange(ofGroup: group, action, atMilliseconds: at))
        case .removeMember, .removeGroup, .removePhoto, .removeUser, .removePooled, .removeAccount:
            guard let subject = RemovalChange.Subject(kind, &fields), let at = fields.integer(.at) else { return nil }
            self = .removal(RemovalChange(subject, atMilliseconds: at))
        case .renameGroup, .renameUser:
            guard let old = fields.text(kind == .renameGroup ? .group : .user), let new = fields.text(.to),
                let at = fields.integer(.at)
            else { return nil }
            self = .renaming(
                RenamingChange(kind == .renameGroup ? .group : .user, from: old, to: new, atMilliseconds: at))
        }
    }

    /// Whether the times of all interactions are within the bounds that tables of interactions accept.
    var hasPossibleTimes: Bool {
        interactions.allSatisfy { InteractionRecord.possibleTimes.contains($0.atMilliseconds) }
    }
}

extension MemberChange.Action {
    fileprivate init?(_ kind: ChangeKind, _ fields: inout Fields<ChangeField>) {
        switch kind {
        case .interactions:
            guard let records = fields.array(.interactions, { InteractionRecord($0) }) else { return nil }
            self = .record(records)
        case .forgetInteraction:
            guard let id = fields.text(.interaction) else { return nil }
            self = .forget(id: id)
        case .forgetInteractions: self = .forget(id: nil)
        case .interests:
            let texts = fields.array(.interests, \.text)
            guard let texts else { return nil }
            self = .state(interests: texts)
        case .exposures:
            guard let records = fields.array(.exposures, { ExposureRecord($0) }) else { return nil }
            self = .expose(records)
        default: return nil
        }
    }
}

extension RemovalChange.Subject {
    /// The texts of the subject, in the order of `ChangeField`.
    fileprivate var fields: [(ChangeField, String)] {
        switch self {
        case .member(let id, _), .account(let id): [(.user, id)]
        case .group(let id): [(.group, id)]
        case .photo(let id): [(.photo, id)]
        case .user(let id, let group, let table): [(.user, id), (.group, group), (.table, table)]
        case .pooled(let id, let group, let table): [(.group, group), (.photo, id), (.table, table)]
        }
    }

    fileprivate init?(_ kind: ChangeKind, _ fields: inout Fields<ChangeField>) {
        let (user, group) = (fields.text(.user), fields.text(.group))
        switch (kind, user, group, fields.text(.photo), fields.text(.table)) {
        case (.removeMember, let user?, nil, nil, nil):
            self = .member(user, withPhotos: fields.integer(.photos) == 1)
        case (.removeAccount, let user?, nil, nil, nil): self = .account(user)
        case (.removeGroup, nil, let group?, nil, nil): self = .group(group)
        case (.removePhoto, nil, nil, let photo?, nil): self = .photo(photo)
        case (.removeUser, let user?, let group?, nil, let table?): self = .user(user, ofGroup: group, table: table)
        case (.removePooled, nil, let group?, let photo?, let table?):
            self = .pooled(photo, ofGroup: group, table: table)
        default: return nil
        }
    }
}

extension InteractionRecord {
    /// The earliest and the latest possible time, in Unix milliseconds, both inclusive.
    static let possibleTimes = UnixTime.bounds.lowerBound * 1000...UnixTime.bounds.upperBound * 1000

    fileprivate var json: JSON {
        var fields = Fields<InteractionField>()
        fields.set(.id, id)
        fields.set(.kind, kind.number)
        if let subject = kind.subject { fields.set(InteractionField(subject), subjectID) }
        fields.set(.at, atMilliseconds)
        fields.set(.list, recommendationID)
        fields.set(.position, position.map { Int64($0) })
        fields.set(.variant, variant)
        fields.set(.seconds, seconds.map { Int64($0) })
        return fields.object
    }

    fileprivate init?(_ json: JSON) {
        guard var fields = Fields<InteractionField>(json), let id = fields.text(.id),
            let kind = fields.integer(.kind).flatMap({ Interaction.Kind(number: $0) }),
            let subject = kind.subject.map({ fields.text(InteractionField($0)) }) ?? "", let at = fields.integer(.at)
        else { return nil }
        self.init(
            id: id, kind, subjectID: subject, atMilliseconds: at, recommendationID: fields.text(.list),
            position: fields.integer(.position).map { Int($0) }, variant: fields.text(.variant),
            seconds: fields.integer(.seconds).map { Int($0) })
        guard fields.isUsedUp else { return nil }
    }
}

extension ExposureRecord {
    fileprivate var json: JSON {
        var fields = Fields<ExposureField>()
        fields.set(.experiment, experiment)
        fields.set(.arm, arm)
        fields.set(.list, recommendationID)
        fields.set(.first, Int64(firstPosition))
        fields.set(.count, Int64(shownCount))
        fields.set(.filters, filters)
        fields.set(.teams, teams)
        fields.set(.times, Int64(times))
        fields.set(.firstAt, firstAtMilliseconds)
        fields.set(.lastAt, lastAtMilliseconds)
        fields.set(.microseconds, microseconds)
        fields.set(.shown, shown)
        fields.set(.settings, settings)
        return fields.object
    }

    fileprivate init?(_ json: JSON) {
        guard var fields = Fields<ExposureField>(json), let experiment = fields.text(.experiment),
            let arm = fields.text(.arm), let list = fields.text(.list), let first = fields.integer(.first),
            let count = fields.integer(.count), let filters = fields.text(.filters),
            let times = fields.integer(.times), let firstAt = fields.integer(.firstAt),
            let lastAt = fields.integer(.lastAt)
        else { return nil }
        self.init(
            experiment: experiment, arm: arm, recommendationID: list, firstPosition: Int(first),
            shownCount: Int(count), filters: filters, atMilliseconds: firstAt,
            microseconds: fields.integer(.microseconds))
        self.times = Int(times)
        (teams, shown, settings) = (fields.text(.teams), fields.text(.shown), fields.text(.settings))
        lastAtMilliseconds = lastAt
        guard fields.isUsedUp else { return nil }
    }
}

/// The fields of a JSON object, taken out one by one; fields that are left are unknown to this program.
private struct Fields<Key: RawRepresentable & CaseIterable> where Key.RawValue == String {
    private var entries: [(name: String, value: JSON)] = []

    init(_ entries: [(Key, Int64)] = []) { for (key, number) in entries { set(key, number) } }

    init?(_ json: JSON) {
        guard let entries = json.members else { return nil }
        self.entries = entries
    }

    var object: JSON { .object(entries) }
    var isUsedUp: Bool { entries.isEmpty }

    mutating func set(_ key: Key, _ value: JSON) { entries.append((key.rawValue, value)) }
    mutating func set(_ key: Key, _ text: String?) { if let text { set(key, .text(text)) } }
    mutating func set(_ key: Key, _ number: Int64?) { if let number { set(key, .number("\(number)")) } }

    private mutating func take<Value>(_ key: Key, _ convert: (JSON) -> Value?) -> Value? {
        guard let place = entries.firstIndex(where: { $0.name == key.rawValue }),
            let value = convert(entries[place].value)
        else { return nil }
        entries.remove(at: place)
        return value
    }

    mutating func text(_ key: Key) -> String? { take(key, \.text) }

    mutating func integer(_ key: Key) -> Int64? { take(key, \.integer) }

    /// Returns the elements of a list, or nil if the field is no list or `convert` refuses an element.
    mutating func array<Element>(_ key: Key, _ convert: (JSON) -> Element?) -> [Element]? {
        take(key) { json in
            guard let values = json.elements else { return nil }
            let elements = values.compactMap(convert)
            return elements.count == values.count ? elements : nil
        }
    }
}
