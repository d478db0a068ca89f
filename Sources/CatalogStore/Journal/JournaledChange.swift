public import Model

/// A change that a daemon with a journal of its own acknowledged: named by the journal and a number.
public struct JournaledChange: Sendable, Equatable {
    /// What was changed.
    public enum Content: Sendable, Equatable {
        /// A change.
        case change(CatalogChange)
        /// Bytes that this program cannot read: they are kept and passed on as they are.
        case unreadable([UInt8])
    }

    /// The journal.
    public var origin: String
    /// Numbers the changes of the journal, from 1 on without a gap.
    public var sequence: Int64
    /// When, among the changes of all journals: the milliseconds of `ChangeStamp`.
    public var stampMilliseconds: Int64
    /// What was changed.
    public var content: Content

    /// A change.
    public init(origin: String, sequence: Int64, stampMilliseconds: Int64, change: CatalogChange) {
        self.origin = origin
        self.sequence = sequence
        self.stampMilliseconds = stampMilliseconds
        content = .change(change)
    }

    /// A change as it came from another program.
    ///
    /// - Parameter body: what `encoded` gave, if nothing happened to it.
    public init(origin: String, sequence: Int64, stampMilliseconds: Int64, encoded body: [UInt8]) {
        self.origin = origin
        self.sequence = sequence
        self.stampMilliseconds = stampMilliseconds
        do {
            content = .change(try CatalogChange(encoded: body))
        } catch { content = .unreadable(body) }
    }

    /// The order in which changes apply.
    public var stamp: ChangeStamp {
        ChangeStamp(milliseconds: stampMilliseconds, origin: origin, sequence: sequence)
    }

    /// What was changed; nil if this program cannot read it.
    public var change: CatalogChange? {
        guard case .change(let change) = content else { return nil }
        return change
    }

    /// What was changed, as it is sent on.
    public var encoded: [UInt8] {
        switch content {
        case .change(let change): change.encoded
        case .unreadable(let body): body
        }
    }
}
