import Basics
import Experiments
import Model
import Recommendation

/// A member's list as it was made and as a session keeps it, also beyond the life of its model version.
///
/// Groups are indexes of that version. Their external ids are stored as well, for use with another version.
struct FrozenPlan: Equatable {
    /// An interest of the member.
    struct Interest: Equatable {
        var name: String
        var share: Double
        /// Its groups, as indexes of `joined`.
        var members: [Int]
    }

    /// The name of the list in interactions.
    var recommendationID: String
    /// The version that the list was made with.
    var version: String
    var bucket: Int64
    var interests: [Interest]
    /// The groups of the list, in their order.
    var items: [PlanItem]
    /// The groups that the member had joined, and had dismissed, when the list was made.
    var joined, dismissed: [UInt32]
    /// The interests that the member had stated when the list was made.
    var topics: [String]
    /// The external ids of the groups of `items`, `joined`, `dismissed` and `hinted`, one after another.
    var ids: PackedTexts
    /// The arms of experiments that the list was made for.
    var arms: [AssignedArm] = []
    /// The groups that favourites and follows pointed to when the list was made; their ids are the last of `ids`.
    var hinted: [UInt32] = []
}

extension FrozenPlan {
    /// Freezes a plan.
    ///
    /// - Parameters:
    ///   - plan: the plan.
    ///   - context: the inputs of the plan.
    init(_ plan: Plan, _ context: MemberContext) {
        let (request, snapshot) = (context.request, context.snapshot)
        arms = context.arms
        version = snapshot.version.description
        recommendationID = context.recommendationID(of: plan)
        bucket = plan.bucket
        items = plan.items
        let joined = request.profile.joined.map(\.group)
        self.joined = joined
        dismissed = request.profile.dismissals.map(\.group)
        let planned = request.profile.planned
        (topics, hinted) = (planned.topics, planned.hinted)
        interests = plan.interests.map { interest in
            let groups = Set(interest.groups)
            return Interest(
                name: interest.name(in: snapshot.model), share: interest.share,
                members: joined.indices.filter { groups.contains(joined[$0]) })
        }
        ids = snapshot.model.ids(of: items.map(\.group) + joined + dismissed + hinted)
    }
}

/// The encoding of a frozen plan; `sealed(ofUser:session:)` adds a checksum, and sessions are stored with it.
///
/// The parts follow one another in this order, as a `ByteWriter` writes them:
///
/// - the format (8 bits), the texts `recommendationID` and `version`, and the bucket (64 bits)
/// - the items: the group (32 bits), the score (64), the interest (16; from 1, 0 for none), the origin (8), the
///   placement (8)
/// - the joined groups, and the dismissed groups (32 bits each)
/// - the stated interests (texts)
/// - the interests: the name (text), the share (64 bits), a list of indexes (32 bits each)
/// - the ids (texts)
/// - the arms of experiments: the texts of experiment and arm
/// - the teams of the items (8 bits each), or nothing unless the list is interleaved from two
/// - the groups that favourites and follows pointed to (32 bits each)
extension FrozenPlan {
    /// The number of the format of lists, and of the files that keep them.
    static let format: UInt8 = 6
    private static let origins = PlanItem.Origin.allCases
    private static let placements = PlanItem.Placement.allCases

    /// The plan as bytes.
    var bytes: [UInt8] {
        // Enough capacity, unless there are dozens of interests.
        let groups = joined.count + dismissed.count + hinted.count
        var writer = ByteWriter(capacity: 1024 + 16 * items.count + 8 * groups + 4 * ids.count + ids.byteCount)
        writer.append(Self.format)
        writer.append(recommendationID)
        writer.append(version)
        writer.append(bucket)
        writer.append(items) { writer, item in
            writer.append(item.group)
            writer.append(item.score.bitPattern)
            writer.append(UInt16(clamping: item.interest.map { $0 + 1 } ?? 0))
            writer.append(UInt8(Self.origins.firstIndex(of: item.origin) ?? 0))
            writer.append(UInt8(Self.placements.firstIndex(of: item.placement) ?? 0))
        }
        writer.append(joined) { $0.append($1) }
        writer.append(dismissed) { $0.append($1) }
        writer.append(topics) { $0.append($1) }
        writer.append(interests) { writer, interest in
            writer.append(interest.name)
            writer.append(interest.share.bitPattern)
            writer.append(interest.members) { $0.append(UInt32($1)) }
        }
        writer.append(ids)
        writer.append(arms) { writer, assigned in
            writer.append(assigned.experiment)
            writer.append(assigned.arm)
        }
        writer.append(items.compactMap(\.team)) { $0.append($1.rawValue) }
        writer.append(hinted) { $0.append($1) }
        return writer.bytes
    }

    /// Decodes `bytes`, or returns `nil` if they are invalid or from another version of this program.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        do {
            guard try reader.integer(UInt8.self) == Self.format else { return nil }
            recommendationID = try reader.text()
            version = try reader.text()
            bucket = try reader.integer(Int64.self)
            items = try reader.list { reader throws(ByteReader.Failure) in
                let group = try reader.integer(UInt32.self)
                let score = Double(bitPattern: try reader.integer(UInt64.self))
                let interest = Int(try reader.integer(UInt16.self))
                let origin = Int(try reader.integer(UInt8.self))
                let placement = Int(try reader.integer(UInt8.self))
                guard score.isFinite, Self.origins.indices.contains(origin), Self.placements.indices.contains(placement)
                else { throw .damaged }
                return PlanItem(
                    group: group, score: score, interest: interest == 0 ? nil : interest - 1,
                    origin: Self.origins[origin], placement: Self.placements[placement])
            }
            joined = try reader.list { reader throws(ByteReader.Failure) in try reader.integer(UInt32.self) }
            dismissed = try reader.list { reader throws(ByteReader.Failure) in try reader.integer(UInt32.self) }
            topics = try reader.list { reader throws(ByteReader.Failure) in try reader.text() }
            interests = try reader.list { reader throws(ByteReader.Failure) in
                Interest(
                    name: try reader.text(), share: Double(bitPattern: try reader.integer(UInt64.self)),
                    members: try reader.list { reader throws(ByteReader.Failure) in
                        Int(try reader.integer(UInt32.self))
                    })
            }
            ids = try reader.texts()
            arms = try reader.list { reader throws(ByteReader.Failure) in
                AssignedArm(try reader.text(), try reader.text())
            }
            let teams = try reader.list { reader throws(ByteReader.Failure) in
                guard let team = PlanItem.Team(rawValue: try reader.integer(UInt8.self)) else { throw .damaged }
                return team
            }
            guard teams.isEmpty || teams.count == items.count else { return nil }
            for (position, team) in teams.enumerated() { items[position].team = team }
            hinted = try reader.list { reader throws(ByteReader.Failure) in try reader.integer(UInt32.self) }
        } catch { return nil }
        guard reader.isAtEnd, ids.count == items.count + joined.count + dismissed.count + hinted.count,
            items.allSatisfy({ $0.interest ?? -1 < interests.count }),
            interests.allSatisfy({ $0.share.isFinite && $0.members.allSatisfy(joined.indices.contains) })
        else { return nil }
    }
}

extension ByteWriter {
    fileprivate mutating func append(_ texts: PackedTexts) {
        append(UInt32(texts.count))
        for position in 0..<texts.count { append(text: texts.bytes(at: position)) }
    }
}

extension ByteReader {
    fileprivate mutating func texts() throws(Failure) -> PackedTexts {
        var texts = PackedTexts()
        for _ in 0..<(try count()) { texts.append(try textBytes()) }
        return texts
    }
}

/// The stored bytes of a frozen plan: its encoding, followed by a checksum (XXH3, 64 bits).
///
/// The checksum covers the encoding, the user and the session. So a damaged list, or the list of another session, is
/// found before it is shown.
extension FrozenPlan {
    /// The reason that stored bytes are no list.
    enum Unreadable: Error, Equatable {
        /// The bytes are not those that were stored for the session.
        case damaged
        /// The bytes were stored by another version of this program.
        case otherProgram
    }

    /// Returns the bytes to store for a session.
    func sealed(ofUser user: String, session: String?) -> [UInt8] {
        Self.seal(bytes, ofUser: user, session: session)
    }

    /// Returns bytes followed by their seal.
    static func seal(_ bytes: [UInt8], ofUser user: String, session: String?) -> [UInt8] {
        bytes + seal(of: bytes[...], user, session)
    }

    /// Opens the bytes that `sealed` returned for the same session.
    init(sealed: [UInt8], ofUser user: String, session: String?) throws(Unreadable) {
        let bytes = sealed.dropLast(8)
        guard sealed.suffix(8).elementsEqual(Self.seal(of: bytes, user, session)) else { throw .damaged }
        guard let plan = FrozenPlan(bytes: Array(bytes)) else { throw .otherProgram }
        self = plan
    }

    private static func seal(of bytes: ArraySlice<UInt8>, _ user: String, _ session: String?) -> [UInt8] {
        var writer = ByteWriter(capacity: bytes.count + user.utf8.count + (session?.utf8.count ?? 0) + 8)
        writer.bytes += bytes
        writer.append(user)
        writer.append(session ?? "")
        var seal: [UInt8] = []
        seal.append(littleEndian: Checksum.number(of: writer.bytes))
        return seal
    }
}
