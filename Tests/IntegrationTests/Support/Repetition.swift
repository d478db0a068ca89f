import Foundation
import Synchronization

/// Does the same thing over and over on a thread of its own, with a short pause after each time.
final class Repetition: Sendable {
    private struct State {
        var count = 0
        var failures: [String] = []
        var isStopped = false
        var isDone = false
    }

    private let state = Mutex(State())

    /// How often it was done.
    var count: Int { state.withLock { $0.count } }
    var failures: [String] { state.withLock { $0.failures } }

    /// - Parameter body: does it for the so-many-th time; returns what went wrong.
    init(_ body: @escaping @Sendable (_ number: Int) -> String?) {
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isStopped }) {
                let failure = body(count)
                state.withLock { state in
                    state.count += 1
                    if let failure { state.failures.append(failure) }
                }
                // Without a pause, requests alone would take a whole processor.
                usleep(5000)
            }
            state.withLock { $0.isDone = true }
        }
    }

    /// Imports fifty members of macro-mondays each time.
    static func imports(into workspace: Workspace) -> Repetition {
        Repetition { number in
            let rows = (0..<50).map { "macro-mondays\timported-\(number)-\($0)\n" }
            do {
                let file = try workspace.write("group_id\tuser_id\n" + rows.joined(), to: "more.tsv")
                return run(workspace, "import", "memberships", file)
            } catch { return "\(error)" }
        }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        while !state.withLock({ $0.isDone }) { usleep(1000) }
    }

    /// Runs the program on the calling thread.
    static func run(_ workspace: Workspace, _ arguments: String...) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Checkout.program)
        process.arguments = arguments
        process.environment = workspace.environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return "\(error)" }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : "\(arguments) ended with \(process.terminationStatus)"
    }
}
