import Dispatch
import HTTP
import Synchronization

/// Records requests with their answers on a tape.
///
/// The threads that answer only put them into a queue. A thread of the lowest priority, which gets what processor time
/// the others leave, writes them; what comes while the queue is full is left out, and counted.
final class TapeRecorder: Sendable {
    private struct Queue {
        var waiting: [AnsweredRequest] = []
        var byteCount = 0
        var droppedCount: UInt64 = 0
    }

    /// How many exchanges wait at most, and how many bytes; a body from the cache counts each time.
    private let queueLimit: Int
    private static let queueLimitBytes = 128 << 20
    /// A block is written when it has so much text, or after so long.
    private static let blockBytes = 256 << 10, blockMilliseconds: Int64 = 1000
    /// How often the queue is looked at: to wake a thread for every request would cost more than to answer it.
    private static let interval = DispatchTimeInterval.milliseconds(20)

    private let maker: ExchangeMaker
    private let condition: Condition
    private let now: @Sendable () -> Int64
    private let queue = Mutex(Queue())
    private let isStopping = Atomic(false)
    private let wakesUp = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)
    private let recordedCount = Atomic<UInt64>(0)
    private let writtenBytes = Atomic<UInt64>(0)

    /// Begins to record.
    ///
    /// - Parameters:
    ///   - queueLimit: how many exchanges wait at most.
    ///   - now: the time, in Unix milliseconds.
    /// - Throws: `ServiceError.startFailed` if the folder cannot be used.
    init(
        _ settings: TapeSettings, log: EventLog, queueLimit: Int = 32_768, now: @escaping @Sendable () -> Int64
    ) throws(ServiceError) {
        self.queueLimit = queueLimit
        maker = ExchangeMaker(pseudonyms: settings.pseudonyms)
        self.now = now
        condition = Condition(
            "tape", "Whether all requests are recorded on the tape", recovery: "all requests are recorded again",
            log: log, calmSeconds: 10)
        let writer: Writer
        do throws(TapeError) {
            writer = Writer(
                try TapeWriter(folder: settings.folder, header: settings.header, limits: settings.limits))
        } catch { throw ServiceError(.startFailed, error.message) }
        let isStarted = WorkThreads(1, waiting: 1, niceness: 19).add { [self] in
            run(writer)
            hasEnded.signal()
        }
        guard isStarted else { throw ServiceError(.startFailed, "there can be no thread that records requests") }
        log.info("requests are recorded in \(settings.folder)")
    }

    /// Takes an exchange to be recorded; returns at once.
    func add(_ answered: AnsweredRequest) {
        queue.withLock { queue in
            guard queue.waiting.count < queueLimit, queue.byteCount < Self.queueLimitBytes else {
                queue.droppedCount += 1
                return
            }
            queue.byteCount += answered.byteCount
            queue.waiting.append(answered)
        }
    }

    /// Writes what waits, and ends.
    func stop() {
        guard !isStopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        wakesUp.signal()
        hasEnded.wait()
    }

    /// What only the thread uses.
    private final class Writer: @unchecked Sendable {
        let tape: TapeWriter
        var sequence: UInt64 = 0
        var bodies = SharedBodies()
        /// When the block was begun, in Unix milliseconds.
        var blockBegan: Int64 = 0
        var knownDropped: UInt64 = 0

        init(_ tape: TapeWriter) { self.tape = tape }
    }

    private func run(_ writer: Writer) {
        var isLast = false
        while !isLast {
            // Before the queue is emptied: what is added until `stop` is called is written.
            isLast = isStopping.load(ordering: .acquiring)
            let (taken, dropped) = queue.withLock { queue in
                defer { (queue.waiting, queue.byteCount) = ([], 0) }
                return (queue.waiting, queue.droppedCount)
            }
            for answered in taken { record(answered, writer) }
            let instant = now()
            if isLast || (instant - writer.blockBegan).magnitude >= Self.blockMilliseconds { writeBlock(writer) }
            if dropped != writer.knownDropped {
                writer.knownDropped = dropped
                condition.failed("requests come faster than they can be recorded: \(dropped) are missing so far")
            }
            if !isLast { _ = wakesUp.wait(timeout: .now() + Self.interval) }
        }
    }

    private func record(_ answered: AnsweredRequest, _ writer: Writer) {
        let known = writer.bodies.sequence(of: answered.response.body)
        guard var exchange = maker.exchange(answered, withBody: known == nil) else { return }
        if writer.tape.pendingCount == 0 { writer.blockBegan = now() }
        writer.sequence += 1
        exchange.sequence = writer.sequence
        writer.tape.append(exchange, bodyOf: known)
        if known == nil { writer.bodies.note(answered.response.body, sequence: writer.sequence) }
        if writer.tape.pendingByteCount >= Self.blockBytes { writeBlock(writer) }
    }

    private func writeBlock(_ writer: Writer) {
        let count = writer.tape.pendingCount
        writer.bodies = SharedBodies()
        do throws(TapeError) {
            let bytes = try writer.tape.writeBlock(atMilliseconds: now())
            recordedCount.wrappingAdd(UInt64(count), ordering: .relaxed)
            writtenBytes.wrappingAdd(UInt64(bytes), ordering: .relaxed)
            condition.worked()
        } catch {
            queue.withLock { $0.droppedCount += UInt64(count) }
            writer.knownDropped += UInt64(count)
            condition.failed("requests cannot be recorded: \(error.message)")
        }
    }
}

extension TapeRecorder: MetricSource {
    func write(to text: inout MetricsText) {
        condition.write(to: &text)
        text.counter(
            "coterie_tape_exchanges_total", "Requests that were recorded.", recordedCount.load(ordering: .relaxed))
        text.counter(
            "coterie_tape_dropped_total", "Requests that were not recorded, as the disk or the processor had no room.",
            queue.withLock { $0.droppedCount })
        text.counter(
            "coterie_tape_bytes_total", "Bytes by which the tape has grown.", writtenBytes.load(ordering: .relaxed))
    }
}

/// The bodies of a block of the tape, by where they are in memory: answers from the cache share theirs.
struct SharedBodies {
    // They are kept, so that no other body comes to be in their place.
    private var known: [UInt: (body: [UInt8], sequence: UInt64)] = [:]

    /// The number of the exchange that has the very same body; nil if none has.
    func sequence(of body: [UInt8]) -> UInt64? {
        guard let found = known[Self.place(of: body)], found.body.count == body.count else { return nil }
        return found.sequence
    }

    /// Notes that an exchange has a body.
    mutating func note(_ body: [UInt8], sequence: UInt64) {
        // Empty ones are all in one place.
        if !body.isEmpty { known[Self.place(of: body)] = (body, sequence) }
    }

    private static func place(of body: [UInt8]) -> UInt {
        unsafe body.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}

/// Where a daemon records requests with their answers, and how.
public struct TapeSettings: Sendable {
    /// The folder of the tape.
    public var folder: String
    /// What each file says of the daemon.
    public var header: TapeHeader
    /// How much is kept.
    public var limits: TapeWriter.Limits
    /// Names for members; nil to leave their ids as they are.
    public var pseudonyms: Pseudonyms?

    /// - Parameters:
    ///   - release: the release of the program.
    ///   - settings: a fingerprint of the daemon's settings.
    public init(
        folder: String, release: String, settings: String, limits: TapeWriter.Limits = TapeWriter.Limits(),
        pseudonyms: Pseudonyms? = nil
    ) {
        self.folder = folder
        header = TapeHeader(
            release: release, settings: settings, memberNames: pseudonyms == nil ? .ids : .pseudonyms)
        self.limits = limits
        self.pseudonyms = pseudonyms
    }
}
