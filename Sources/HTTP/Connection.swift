import Synchronization

/// A client's connection and the request under way on it, of which there is one at a time.
///
/// The library serves a connection from one thread, so that what a request consists of needs no lock;
/// only the deadline is read by another thread.
final class Connection: @unchecked Sendable {
    /// How far the request under way has come.
    enum Phase {
        /// None has begun.
        case idle
        /// Its first line is here.
        case begun
        /// Its header fields are here.
        case receiving
        /// It is being answered.
        case answered
    }

    let socket: Int32
    /// Whether there were too many when it was opened.
    var isSurplus = false
    private let deadlineNanoseconds: Atomic<UInt64>

    var phase = Phase.idle
    var target: [UInt8] = []
    /// Where the text of the target lies, to notice one that a NUL cut short.
    var targetAddress: UInt = 0
    var headers = HTTPHeaders()
    var body: [UInt8] = []
    var bodyIsTooLarge = false

    init(socket: Int32, deadline: UInt64) {
        self.socket = socket
        deadlineNanoseconds = Atomic(deadline)
    }

    /// When the connection is cut unless something happens first, by the monotonic clock; `.max` for never.
    var deadline: UInt64 {
        get { deadlineNanoseconds.load(ordering: .relaxed) }
        set { deadlineNanoseconds.store(newValue, ordering: .relaxed) }
    }

    /// Takes a piece of the body; what is beyond the limit is counted as too large and thrown away.
    func append(_ piece: UnsafeRawBufferPointer, limitBytes: Int) {
        guard !bodyIsTooLarge, body.count + piece.count <= limitBytes else {
            bodyIsTooLarge = true
            body = []
            return
        }
        unsafe body.append(contentsOf: piece)
    }

    /// Forgets the request that has ended.
    func reset() {
        phase = .idle
        target = []
        headers = HTTPHeaders()
        body = []
        bodyIsTooLarge = false
    }
}
