import Synchronization

/// The list of a session, as the bytes that are kept.
struct SealedList: Sendable {
    let user: String
    let session: String?
    /// Unix milliseconds.
    let usedAt: Int64
    let bytes: [UInt8]

    /// By their bytes: to Swift, texts are equal already if they look the same.
    func isOf(_ user: String) -> Bool { self.user.utf8.elementsEqual(user.utf8) }
}

/// Lists that a store has, until they are in the file of this machine too: no request waits for that file.
///
/// A process that is killed loses those of the last moment, and only for a time when the store is away.
final class PendingLists: Sendable {
    /// How often they are written.
    static let interval = Duration.milliseconds(50)

    /// With so many, a request writes them after all.
    private static let most = 256
    /// How many are written in one transaction: a request that writes to the file itself waits for as long.
    private static let atATime = 4

    private let file: SessionFile
    private let lists = Mutex<[SealedList]>([])
    /// Held by whoever writes to the file, so that nothing is written after it was forgotten.
    private let writing = Mutex(())

    init(_ file: SessionFile) { self.file = file }

    func append(_ list: SealedList) {
        let count = lists.withLock { lists in
            lists.append(list)
            return lists.count
        }
        if count >= Self.most { write() }
    }

    /// Writes all if a list of a member is among them: what is looked for in the file must be there.
    func write(ifAnyOf user: String) {
        if lists.withLock({ $0.contains { $0.isOf(user) } }) { write() }
    }

    /// Writes all that there are.
    func write() {
        writing.withLock { _ in
            while true {
                // They leave when they are in the file: until then, whoever looks for one waits here.
                let next = lists.withLock { Array($0.prefix(Self.atATime)) }
                guard !next.isEmpty else { return }
                // With a full disk here, the store still has them.
                try? file.keep(next)
                lists.withLock { $0.removeFirst(next.count) }
            }
        }
    }

    /// Forgets all lists of a member, those in the file as well.
    func forgetAll(ofUser user: String) throws(ServiceError) {
        try writing.withLock { _ throws(ServiceError) in
            lists.withLock { $0.removeAll { $0.isOf(user) } }
            try file.forgetAll(ofUser: user)
        }
    }
}
