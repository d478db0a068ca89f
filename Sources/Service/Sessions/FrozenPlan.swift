import Answers
import Experiments
import Model
import ModelStore
import Recommendation

/// A member's list as it was made and as a session keeps it: it outlives the version that it was made with.
///
/// Groups are indexes of that version; beside them stand their external ids, which are looked at only where another
/// serves.
struct FrozenPlan: Equatable {
    /// Something that the member cares about.
    struct Interest: Equatable {
        var name: String
        var share: Double
        /// Its groups, as indexes of `joined`.
        var members: [Int]
    }

    /// What interactions call the list that they come from.
    var recommendationID: String
    /// The version that it was made with.
    var version: String
    var bucket: Int64
    var interests: [Interest]
    /// The groups of the list, in their order.
    var items: [PlanItem]
    /// Groups that the member was in, and had dismissed, when the list was made.
    var joined, dismissed: [UInt32]
    /// The interests that the member had stated when the list was made.
    var topics: [String]
    /// The external ids of the groups of `items`, `joined` and `dismissed`, one after another.
    var ids: PackedTexts
    /// The arms of experiments that it was made for.
    var arms: [AssignedArm] = []
    /// The teams of the items, if the list is drafted from two; else empty.
    var teams: [InterleavedPlan.Team] = []
}

extension FrozenPlan {
    /// Freezes a plan.
    ///
    /// - Parameter scene: what it was made from.
    init(_ assigned: AssignedPlan, _ scene: MemberScene) {
        let (plan, request, snapshot) = (assigned.plan, scene.request, scene.snapshot)
        (arms, teams) = (scene.arms, assigned.teams)
        version = snapshot.version.description
        recommendationID = Recommendations.id(of: plan, forUser: request.profile.userID, snapshot.version)
        bucket = plan.bucket
        items = plan.items
        let joined = request.profile.joined.map(\.group)
        self.joined = joined
        dismissed = request.profile.dismissals.map(\.group)
        topics = request.profile.topics
        interests = plan.interests.map { interest in
            let groups = Set(interest.groups)
            return Interest(
                name: interest.name(in: snapshot.model), share: interest.share,
                members: joined.indices.filter { groups.contains(joined[$0]) })
        }
        ids = snapshot.model.ids(of: items.map(\.group) + joined + dismissed)
    }

    /// The list in terms of the version that serves; groups that it does not show any more are left out.
    func list(in snapshot: VisibleSnapshot) -> SessionList {
        let model = snapshot.model
        let isSame = version == snapshot.version.description
        func group(_ group: UInt32, _ index: Int) -> UInt32? {
            guard isSame else { return model.index(ofID: ids[index]).map(UInt32.init) }
            // A damaged plan may name a group that there never was.
            return model.shows(group) ? group : nil
        }
        func groups(_ groups: [UInt32], after start: Int) -> [UInt32] {
            groups.enumerated().compactMap { group($1, start + $0) }
        }
        let shown = items.enumerated().compactMap { index, item in
            group(item.group, index).map { group in
                var shown = item
                shown.group = group
                return (rank: index + 1, item: shown)
            }
        }
        let teams =
            self.teams.isEmpty
            ? [:] : Dictionary(shown.map { ($0.item.group, self.teams[$0.rank - 1]) }) { first, _ in first }
        return SessionList(
            recommendationID: recommendationID, bucket: bucket,
            interests: interests.map { interest in
                .init(
                    name: interest.name, share: interest.share, groupCount: interest.members.count,
                    groups: interest.members.compactMap { group(joined[$0], items.count + $0) })
            },
            items: shown.map(\.item), ranks: shown.map(\.rank),
            madeCount: items.count, ids: ids,
            profile: PlannedProfile(
                joined: groups(joined, after: items.count),
                dismissed: groups(dismissed, after: items.count + joined.count), topics: topics),
            arms: arms, teams: teams)
    }
}

/// The bytes of a frozen plan; `sealed(ofUser:session:)` has them with a checksum, as sessions are kept.
///
/// Numbers are little-endian, texts UTF-8 behind a length of 32 bits, lists behind a count of 32 bits: a byte for the
/// format, the texts `recommendationID` and `version`, the bucket (64 bits); the items (group: 32 bits, score: 64, the
/// number of the interest from 1 on, or 0 for none: 16, origin: 8, placement: 8); the groups joined and dismissed (32
/// bits each); the stated interests (texts); the interests (text, share: 64 bits, list of indexes: 32); the ids
/// (texts); from format 5 on the arms of experiments (the texts of experiment and arm)
/// and the teams of the items (8 bits each).
extension FrozenPlan {
    private static let format: UInt8 = 5
    /// That of earlier programs, whose lists are of no experiment.
    private static let formatWithoutArms: UInt8 = 4
    private static let origins = PlanItem.Origin.allCases
    private static let placements = PlanItem.Placement.allCases

    /// The plan as bytes.
    var bytes: [UInt8] {
        // More than enough, but for interests by the dozen.
        let groups = joined.count + dismissed.count
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
        writer.append(teams) { $0.append($1.rawValue) }
        return writer.bytes
    }

    /// Reads what `bytes` gave; nil if it is something else, or of another version of this program.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        do {
            let format = try reader.integer(UInt8.self)
            guard [Self.format, Self.formatWithoutArms].contains(format) else { return nil }
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
            if format == Self.format {
                arms = try reader.list { reader throws(ByteReader.Failure) in
                    AssignedArm(try reader.text(), try reader.text())
                }
                teams = try reader.list { reader throws(ByteReader.Failure) in
                    guard let team = InterleavedPlan.Team(rawValue: try reader.integer(UInt8.self)) else {
                        throw .damaged
                    }
                    return team
                }
            }
        } catch { return nil }
        guard reader.isAtEnd, teams.isEmpty || teams.count == items.count,
            ids.count == items.count + joined.count + dismissed.count,
            items.allSatisfy({ $0.interest ?? -1 < interests.count }),
            interests.allSatisfy({ $0.share.isFinite && $0.members.allSatisfy(joined.indices.contains) })
        else { return nil }
    }
}

/// Puts bytes together.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: the bytes that there is room for at first.
    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func append(_ number: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Bytes as they are, without their number.
    mutating func append(_ piece: ArraySlice<UInt8>) { bytes.append(contentsOf: piece) }

    mutating func append(_ text: String) { append(text: text.utf8) }

    mutating func append(_ texts: PackedTexts) {
        append(UInt32(texts.count))
        for position in 0..<texts.count { append(text: texts.bytes(at: position)) }
    }

    private mutating func append(text: some Collection<UInt8>) {
        append(UInt32(text.count))
        bytes.append(contentsOf: text)
    }

    mutating func append<Element>(_ list: [Element], _ write: (inout ByteWriter, Element) -> Void) {
        append(UInt32(list.count))
        for element in list { write(&self, element) }
    }
}

/// Takes bytes apart that may be anything.
private struct ByteReader {
    enum Failure: Error {
        case damaged
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws(Failure) -> Number {
        let size = Number.bitWidth / 8
        guard bytes.count - position >= size else { throw .damaged }
        var number: Number = 0
        for offset in 0..<size { number |= Number(truncatingIfNeeded: bytes[position + offset]) << (8 * offset) }
        position += size
        return number
    }

    mutating func text() throws(Failure) -> String { String(decoding: try textBytes(), as: UTF8.self) }

    mutating func texts() throws(Failure) -> PackedTexts {
        var texts = PackedTexts()
        for _ in 0..<(try count()) { texts.append(try textBytes()) }
        return texts
    }

    /// The bytes of a text, which are UTF-8.
    private mutating func textBytes() throws(Failure) -> ArraySlice<UInt8> {
        let count = Int(try integer(UInt32.self))
        guard bytes.count - position >= count else { throw .damaged }
        let range = position..<position + count
        do { _ = try UTF8Span(validating: bytes.span.extracting(range)) } catch { throw .damaged }
        position = range.upperBound
        return bytes[range]
    }

    /// How many elements a list has.
    private mutating func count() throws(Failure) -> Int {
        let count = Int(try integer(UInt32.self))
        // Every element has a byte at least: a count that is out of bounds reserves no memory.
        guard count <= bytes.count - position else { throw .damaged }
        return count
    }

    mutating func list<Element>(_ read: (inout ByteReader) throws(Failure) -> Element) throws(Failure) -> [Element] {
        let count = try count()
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }
}

/// The bytes of a frozen plan as they are kept: those of the plan, and behind them a checksum, XXH3 in 64 bits, of them
/// and of whose session it is.
///
/// So a list that is damaged, or that stands under the name of another session, is found out before it is shown.
extension FrozenPlan {
    /// Why kept bytes give no list.
    enum Unreadable: Error, Equatable {
        /// They are not what was kept for the session.
        case damaged
        /// Another version of this program has kept them.
        case otherProgram
    }

    /// The formats that had no checksum.
    private static let unsealedFormats: ClosedRange<UInt8> = 2...3

    /// The plan as it is kept for a session.
    func sealed(ofUser user: String, session: String?) -> [UInt8] {
        Self.seal(bytes, ofUser: user, session: session)
    }

    /// Bytes with their seal behind them.
    static func seal(_ bytes: [UInt8], ofUser user: String, session: String?) -> [UInt8] {
        bytes + seal(of: bytes[...], user, session)
    }

    /// Opens what `sealed` gave for the same session.
    init(sealed: [UInt8], ofUser user: String, session: String?) throws(Unreadable) {
        let bytes = sealed.dropLast(8)
        guard sealed.suffix(8).elementsEqual(Self.seal(of: bytes, user, session)) else {
            throw sealed.first.map(Self.unsealedFormats.contains) == true ? .otherProgram : .damaged
        }
        guard let plan = FrozenPlan(bytes: Array(bytes)) else { throw .otherProgram }
        self = plan
    }

    private static func seal(of bytes: ArraySlice<UInt8>, _ user: String, _ session: String?) -> [UInt8] {
        var writer = ByteWriter(capacity: bytes.count + user.utf8.count + (session?.utf8.count ?? 0) + 8)
        writer.append(bytes)
        writer.append(user)
        writer.append(session ?? "")
        var seal = ByteWriter(capacity: 8)
        seal.append(Checksum.number(of: writer.bytes))
        return seal.bytes
    }
}
