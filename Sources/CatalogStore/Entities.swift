package import Model

/// The visibility of a group or a photo.
package enum Visibility: String, Sendable, CaseIterable {
    case `public`
    /// Not visible to everyone: Coterie never uses or shows it.
    case `private`
    /// Not known, because only a relation names it: Coterie never uses or shows it; see `UndescribedRows`.
    case unknown

    /// The number in the catalog.
    var code: Int64 { self == .public ? 0 : self == .private ? 1 : 2 }

    init(code: Int64) { self = code == 0 ? .public : code == 2 ? .unknown : .private }
}

/// A group as stored in the catalog.
package struct GroupRecord: Sendable, Equatable {
    package var id: String
    /// The title, or empty if none was given.
    package var title: String
    package var visibility: Visibility
    /// Whether the site has hidden the group; independent of its visibility.
    package var isHidden: Bool
    package var topics: [String]
    /// The way in which users become members.
    package var joinPolicy: JoinPolicy
    /// The time at which it was founded, in Unix seconds.
    package var createdAt: Int64?
    /// The time of the last activity in it, in Unix seconds.
    package var lastActiveAt: Int64?
    /// The key within the catalog.
    let key: Int64

    /// Whether the group is used and shown: public and not hidden.
    package var isShown: Bool { visibility == .public && !isHidden }
}

/// A value that changes whenever groups are removed or a group is added.
package struct GroupRevision: Sendable, Equatable {
    package var removals: Int64
    /// The greatest key of a group, or 0 if there are no groups.
    var latestKey: Int64
}

extension Concealment {
    /// Creates the reason that follows from a visibility; nil for public groups.
    package init?(_ visibility: Visibility) {
        switch visibility {
        case .public: return nil
        case .private: self = .private
        case .unknown: self = .undescribed
        }
    }
}

/// The tables of things that have an external id.
package enum EntityTable: String, Sendable, CaseIterable {
    case groups
    case users
    case photos

    /// The noun for one of its rows, in messages.
    package var singular: String { String(rawValue.dropLast()) }
    var idColumn: String { singular + "_id" }
    var keyColumn: String { singular + "_key" }
    var hasVisibility: Bool { self != .users }
    /// The highest key that is read: columns of matrices have 32 bits, and memory is needed for every key up to the
    /// highest.
    static let keyLimit = Int64(UInt32.max) - 1
}
