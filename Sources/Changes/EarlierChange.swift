import FoundationEssentials
import Model

/// A change as programs up to November 2026 wrote it: JSON in the shape that Swift gives to these enumerations.
///
/// Journals and streams may have such changes after an upgrade. The names of the cases are the format.
enum EarlierChange: Decodable {
    case member(Member)
    case site(Site)
    case removal(Removed)

    struct Member: Decodable {
        enum Action: Decodable {
            case record([Record])
            case forget(id: String?)
            case state(interests: [String])
            case expose([Exposure])
        }

        var userID: String
        var action: Action
    }

    struct Record: Decodable {
        var id, kind, groupID: String
        var atMilliseconds: Int64
        var recommendationID, variant: String?
        var position: Int?
    }

    struct Exposure: Decodable {
        var experiment, arm, recommendationID, filters: String
        var firstPosition, shownCount, times: Int
        var teams: String?
        var firstAtMilliseconds, lastAtMilliseconds: Int64
        var microseconds: Int64?
    }

    struct Site: Decodable {
        enum Action: Decodable {
            case hide
            case unhide
            case curate(position: Int?, startsAt: Int64?, expiresAt: Int64?)
            case uncurate
        }

        var groupID: String
        var action: Action
        var atMilliseconds: Int64
    }

    struct Removed: Decodable {
        enum Subject: Decodable {
            case member(String, withPhotos: Bool)
            case group(String)
            case photo(String)
            case user(String, ofGroup: String, table: String)
            case pooled(String, ofGroup: String, table: String)
        }

        var subject: Subject
        var atMilliseconds: Int64
    }

    /// Reads the bytes of an earlier program.
    ///
    /// - Returns: nil if they are something else.
    static func read(_ bytes: [UInt8]) -> JournaledChange.Content? {
        guard let earlier = try? JSONDecoder().decode(EarlierChange.self, from: Data(bytes)),
            let change = earlier.change, change.hasPossibleTimes
        else { return nil }
        // An erased change kept its member.
        if case .member(let member) = change, member.action == .record([]) { return .nothing }
        return .change(change)
    }

    private var change: Change? {
        switch self {
        case .member(let member):
            member.action.action.map { .member(MemberChange(ofUser: member.userID, $0)) }
        case .site(let site):
            .site(SiteChange(ofGroup: site.groupID, site.action.action, atMilliseconds: site.atMilliseconds))
        case .removal(let removal):
            .removal(RemovalChange(removal.subject.subject, atMilliseconds: removal.atMilliseconds))
        }
    }
}

extension EarlierChange.Member.Action {
    /// The action, or nil if it has an interaction of a kind that this program does not know.
    fileprivate var action: MemberChange.Action? {
        switch self {
        case .record(let records):
            let known = records.compactMap(\.record)
            return known.count == records.count ? .record(known) : nil
        case .forget(let id): return .forget(id: id)
        case .state(let interests): return .state(interests: interests)
        case .expose(let exposures): return .expose(exposures.map(\.record))
        }
    }
}

extension EarlierChange.Record {
    fileprivate var record: InteractionRecord? {
        Interaction.Kind(rawValue: kind).map {
            InteractionRecord(
                id: id, $0, groupID: groupID, atMilliseconds: atMilliseconds, recommendationID: recommendationID,
                position: position, variant: variant)
        }
    }
}

extension EarlierChange.Exposure {
    fileprivate var record: ExposureRecord {
        var record = ExposureRecord(
            experiment: experiment, arm: arm, recommendationID: recommendationID, firstPosition: firstPosition,
            shownCount: shownCount, filters: filters, atMilliseconds: firstAtMilliseconds, microseconds: microseconds)
        (record.times, record.teams, record.lastAtMilliseconds) = (times, teams, lastAtMilliseconds)
        return record
    }
}

extension EarlierChange.Site.Action {
    fileprivate var action: SiteChange.Action {
        switch self {
        case .hide: .hide
        case .unhide: .unhide
        case .curate(let position, let startsAt, let expiresAt):
            .curate(position: position, startsAt: startsAt, expiresAt: expiresAt)
        case .uncurate: .uncurate
        }
    }
}

extension EarlierChange.Removed.Subject {
    fileprivate var subject: RemovalChange.Subject {
        switch self {
        case .member(let id, let withPhotos): .member(id, withPhotos: withPhotos)
        case .group(let id): .group(id)
        case .photo(let id): .photo(id)
        case .user(let id, let group, let table): .user(id, ofGroup: group, table: table)
        case .pooled(let id, let group, let table): .pooled(id, ofGroup: group, table: table)
        }
    }
}
