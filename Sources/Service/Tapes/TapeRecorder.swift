import Basics
import Dispatch
import HTTP
import Synchronization

/// Records requests with their answers on a tape.
///
/// The threads that answer put exchanges into a queue. A thread of the lowest priority writes them, with the processor
/// time that the others leave. Exchanges that arrive at a full queue are left out, and counted.
final class TapeRecorder: Sendable {
    private struct Queue {
        var waiting: [AnsweredRequest] = []
        var byteCount = 0
        var droppedCount: UInt64 = 0
    }

    /// The most exchanges in the queue; their bytes are limited, too, and a shared body counts each time.
    private let queueLimit: Int
    private static let queueLimitBytes = 128 << 20
    /// The size and the age at which a block is written.
    private static let blockBytes = 256 << 10, blockMilliseconds: Int64 = 1000
    /// The interval between two looks at the queue: to wake a thread for every request would cost more than to answer
    /// it.
    private static let interval = DispatchTimeInterval.milliseconds(20)

    private let maker: ExchangeMaker
    private let condition: HealthCondition
    private let now: @Sendable () -> Int64
    private let queue = Mutex(Queue())
    private let isStopping = Atomic(false)
    private let wakesUp = DispatchSemaphore(value: 0)
    private let thread = Mutex<WorkThread?>(nil)
    private let recordedCount = Atomic<UInt64>(0)
    private let writtenBytes = Atomic<UInt64>(0)

    /// Begins to record.
    ///
    /// - Parameters:
    ///   - settings: the folder and the limits.
    ///   - log: the log for problems.
    ///   - queueLimit: the most exchanges in the queue.
    ///   - now: returns the time, in Unix milliseconds.
    /// - Throws: `Failure`: `.general` if the folder cannot be used, `.tryLater` if the thread cannot be started.
    init(
        _ settings: TapeSettings, log: EventLog, queueLimit: Int = 32_768, now: @escaping @Sendable () -> Int64
    ) throws(Failure) {
        self.queueLimit = queueLimit
        maker = ExchangeMaker(pseudonyms: settings.pseudonyms)
        self.now = now
        condition = HealthCondition(
            "tape", "Whether all requests are recorded on the tape", recovery: "all requests are recorded again",
            log: log, calmSeconds: 10)
        let writer: Locked<Writer>
        do throws(Failure) {
            writer = Locked(
                Writer(tape: try TapeWriter(folder: settings.folder, header: settings.header, limits: settings.limits)))
        } catch { throw Failure(.general, error.message) }
        let thread = try WorkThread(niceness: 19) { [self] in writer.withLock { run(&$0) } }
        self.thread.withLock { $0 = thread }
        log.info("requests are recorded in \(settings.folder)")
    }

    /// Adds an exchange to the queue; returns at once.
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

    /// Writes the waiting exchanges, and ends.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        wakesUp.signal()
        thread.withLock { $0 }?.join()
    }

    /// The state that only the recording thread uses.
    private struct Writer {
        let tape: TapeWriter
        var sequence: UInt64 = 0
        var bodies = SharedBodies()
        /// The beginning of the block, in Unix milliseconds.
        var blockBegan: Int64 = 0
        var knownDropped: UInt64 = 0
    }

    private func run(_ writer: inout Writer) {
        var isLast = false
        while !isLast {
            // Read before the queue is emptied, so that everything added before `stop` is written.
            isLast = isStopping.load(ordering: .acquiring)
            let (taken, dropped) = queue.withLock { queue in
                defer { (queue.waiting, queue.byteCount) = ([], 0) }
                return (queue.waiting, queue.droppedCount)
            }
            for answered in taken { record(answered, &writer) }
            let instant = now()
            if isLast || (instant - writer.blockBegan).magnitude >= Self.blockMilliseconds { writeBlock(&writer) }
            if dropped != writer.knownDropped {
                // Their numbers stay free, so that a reader counts them as missing.
                writer.sequence += dropped - writer.knownDropped
                writer.knownDropped = dropped
                condition.failed("requests come faster than they can be recorded: \(dropped) are missing so far")
            }
            if isLast { writer.tape.end() }
            if !isLast { _ = wakesUp.wait(timeout: .now() + Self.interval) }
        }
    }

    private func record(_ answered: AnsweredRequest, _ writer: inout Writer) {
        let known = writer.bodies.sequence(of: answered.response.body)
        guard var exchange = maker.exchange(answered, withBody: known == nil) else { return }
        if writer.tape.pendingCount == 0 { writer.blockBegan = now() }
        writer.sequence += 1
        exchange.sequence = writer.sequence
        writer.tape.append(exchange, bodyOf: known)
        if known == nil { writer.bodies.note(answered.response.body, sequence: writer.sequence) }
        if writer.tape.pendingByteCount >= Self.blockBytes { writeBlock(&writer) }
    }

    private func writeBlock(_ writer: inout Writer) {
        let count = writer.tape.pendingCount
        writer.bodies = SharedBodies()
        do throws(Failure) {
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

/// The bodies in a block of the tape, by their address in memory: answers from the cache share their bodies.
struct SharedBodies {
    // The bodies are kept alive, so that no other body gets the same address.
    private var known: [UInt: (body: [UInt8], sequence: UInt64)] = [:]

    /// Returns the number of the exchange with the very same body, or `nil` if there is none.
    func sequence(of body: [UInt8]) -> UInt64? {
        guard let found = known[Self.place(of: body)], found.body.count == body.count else { return nil }
        return found.sequence
    }

    mutating func note(_ body: [UInt8], sequence: UInt64) {
        // All empty arrays have the same address.
        if !body.isEmpty { known[Self.place(of: body)] = (body, sequence) }
    }

    private static func place(of body: [UInt8]) -> UInt {
        unsafe body.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}

/// The settings for recording requests with their answers.
package struct TapeSettings: Sendable {
    let folder: String
    /// The header of each file, which describes the daemon.
    let header: TapeHeader
    /// The limits on size and age.
    let limits: TapeWriter.Limits
    /// The pseudonyms of members, or `nil` to record their ids.
    let pseudonyms: Pseudonyms?

    package init(
        folder: String, _ header: TapeHeader, limits: TapeWriter.Limits = TapeWriter.Limits(),
        pseudonyms: Pseudonyms? = nil
    ) {
        (self.folder, self.header, self.limits, self.pseudonyms) = (folder, header, limits, pseudonyms)
    }
}
