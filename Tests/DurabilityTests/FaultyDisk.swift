import CFaultyDisk
import CSQLite
import Synchronization
import TestSupport

/// A folder on a disk that fails when it is told to, and that remembers what was done to it.
///
/// It exists for SQLite alone; everything else sees an ordinary folder.
@safe
final class FaultyDisk: Sendable {
    /// What was done.
    enum Operation {
        case open(String)
        case write(String, offset: Int, [UInt8])
        case truncate(String, size: Int)
        case sync(String)
        case delete(String, isSynced: Bool)
        /// A step of the work has been acknowledged.
        case acknowledged(Int)
    }

    /// When it fails.
    struct Fault {
        /// At which operation, from 1; of those that can fail.
        var number: Int
        /// Whether everything fails from there on.
        var isForGood: Bool
    }

    private struct State {
        var fault: Fault?
        var count = 0
        var failures = 0
        var operations: [Operation] = []
    }

    private let folder: TemporaryDirectory
    private let state: Mutex<State>
    private let number: Atomic<Int32> = Atomic(-1)

    init(failing fault: Fault? = nil) throws {
        folder = try TemporaryDirectory()
        state = Mutex(State(fault: fault))
        let number = unsafe faulty_disk_attach(
            folder.path,
            { context, operation, name, bytes, count, offset in
                guard let context = unsafe context, let name = unsafe name else { return SQLITE_ERROR }
                let disk = unsafe Unmanaged<FaultyDisk>.fromOpaque(context).takeUnretainedValue()
                let path = unsafe String(cString: name)
                let written = unsafe UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count))
                return disk.note(
                    operation, String(path.dropFirst(disk.folder.path.utf8.count + 1)), unsafe Array(written),
                    isSynced: count != 0, offset: Int(offset))
            }, Unmanaged.passUnretained(self).toOpaque())
        self.number.store(number, ordering: .relaxed)
        precondition(number >= 0, "too many disks at a time")
    }

    deinit { faulty_disk_detach(number.load(ordering: .relaxed)) }

    /// The folder.
    var path: String { folder.path }

    /// How often it has failed.
    var failures: Int { state.withLock { $0.failures } }

    /// What was done to it, in order.
    var operations: [Operation] { state.withLock { $0.operations } }

    /// It does not fail any more.
    func mend() { state.withLock { $0.fault = nil } }

    /// Notes that a step of the work has been acknowledged.
    func noteAcknowledged(_ step: Int) { state.withLock { $0.operations.append(.acknowledged(step)) } }

    private func note(
        _ operation: FaultyDiskOperation, _ name: String, _ bytes: [UInt8], isSynced: Bool, offset: Int
    ) -> Int32 {
        let (done, error): (Operation, Int32) =
            switch operation {
            case FaultyDiskOpen: (.open(name), SQLITE_CANTOPEN)
            case FaultyDiskWrite: (.write(name, offset: offset, bytes), SQLITE_IOERR | 3 << 8)
            case FaultyDiskTruncate: (.truncate(name, size: offset), SQLITE_IOERR | 6 << 8)
            case FaultyDiskSync: (.sync(name), SQLITE_IOERR | 4 << 8)
            default: (.delete(name, isSynced: isSynced), SQLITE_OK)
            }
        return state.withLock { state in
            if error != SQLITE_OK {
                state.count += 1
                if let fault = state.fault, fault.isForGood ? state.count >= fault.number : state.count == fault.number
                {
                    state.failures += 1
                    return error
                }
            }
            state.operations.append(done)
            return SQLITE_OK
        }
    }
}
