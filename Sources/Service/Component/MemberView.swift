import Basics
import FoundationEssentials
import Model

/// The groups that a member has to do with, each with its state.
struct MemberView: Equatable {
    private(set) var states: [BytewiseString: GroupState] = [:]
    /// The groups in the order of answers: the list, then joined and dismissed groups by their ids' bytes.
    private(set) var groups: [String] = []

    init() {}

    /// Creates the view of a member.
    ///
    /// A joined group is no other; a dismissed group is not in the list.
    init(recommended: [String], joined: [String], dismissed: [String]) {
        for id in joined { states[BytewiseString(id)] = .joined }
        for id in dismissed where states[BytewiseString(id)] == nil { states[BytewiseString(id)] = .dismissed }
        let listed = recommended.filter { states[BytewiseString($0)] == nil }
        groups = listed + states.keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for id in listed { states[BytewiseString(id)] = .recommended }
    }

    /// Returns the state of a group, or nil if the member has nothing to do with it.
    func state(of group: String) -> GroupState? { states[BytewiseString(group)] }

    fileprivate mutating func set(_ state: GroupState?, of group: String) { states[BytewiseString(group)] = state }
}

/// The differences between two views.
struct ViewChanges {
    /// The changed groups: created, updated and destroyed ones.
    let created, updated, destroyed: [String]
    /// The view after these changes, and whether it lacks some that the member has now.
    let view: MemberView
    let hasMore: Bool

    /// Finds the changes between two views.
    ///
    /// - Parameter limit: the most changes.
    init(from old: MemberView, to new: MemberView, limit: Int) {
        let gone = old.states.keys.map(\.text).filter { new.state(of: $0) == nil }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let changed = gone + new.groups.filter { new.state(of: $0) != old.state(of: $0) }
        let taken = changed.prefix(limit)
        hasMore = taken.count < changed.count
        destroyed = taken.filter { new.state(of: $0) == nil }
        created = taken.filter { new.state(of: $0) != nil && old.state(of: $0) == nil }
        updated = taken.filter { new.state(of: $0) != nil && old.state(of: $0) != nil }
        guard hasMore else {
            view = new
            return
        }
        var between = old
        for group in taken { between.set(new.state(of: group), of: group) }
        view = between
    }
}

/// A client's view, as text.
///
/// The client sends it back, and the daemon keeps no state.
///
/// Any daemon can calculate the changes since it, also after a restart, and with another version. A text of more than
/// `lengthLimit` characters is replaced by a checksum of the view, since proxies refuse long addresses.
enum ViewState: Equatable {
    case whole(MemberView)
    /// The checksum of a view with too many groups.
    case checksum(String)

    /// The most characters of the text, inclusive.
    static let lengthLimit = 4096
    private static let (wholeMark, checksumMark) = (Character("a"), Character("b"))
    private static let letters: [(state: GroupState, letter: UInt8)] = [
        (.recommended, UInt8(ascii: "r")), (.joined, UInt8(ascii: "j")), (.dismissed, UInt8(ascii: "d")),
    ]

    init(_ view: MemberView) {
        let text = Self.text(of: view)
        self = text.utf8.count <= Self.lengthLimit ? .whole(view) : .checksum(Checksum.text(of: Array(text.utf8)))
    }

    /// Reads a text, or returns nil if no program wrote it.
    init?(_ text: String) {
        guard text.utf8.count <= Self.lengthLimit, let kind = text.first else { return nil }
        switch kind {
        case Self.checksumMark: self = .checksum(String(text.dropFirst()))
        case Self.wholeMark:
            guard let view = Self.view(of: text.dropFirst()) else { return nil }
            self = .whole(view)
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .whole(let view): Self.text(of: view)
        case .checksum(let sum): "\(Self.checksumMark)\(sum)"
        }
    }

    /// Returns a letter for the state, the id and a NUL for each group, by the ids' bytes, in base64url.
    private static func text(of view: MemberView) -> String {
        var bytes: [UInt8] = []
        let states = view.states.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
        for (group, state) in states {
            bytes.append(letters.first { $0.state == state }?.letter ?? 0)
            bytes += group.text.utf8
            bytes.append(0)
        }
        return String(wholeMark) + Base64URL.encode(bytes)
    }

    private static func view(of text: Substring) -> MemberView? {
        guard let bytes = Base64URL.decode(text), bytes.isEmpty || bytes.last == 0 else { return nil }
        var view = MemberView()
        for entry in bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false) where !bytes.isEmpty {
            guard let state = letters.first(where: { $0.letter == entry.first })?.state, entry.count > 1,
                let id = String(validating: entry.dropFirst(), as: UTF8.self)
            else { return nil }
            view.set(state, of: id)
        }
        return view
    }
}
