import Dispatch
import HTTP
import Synchronization

/// The serving daemon, from `init` until `stop`.
///
/// It listens from the start; until a version has been loaded, data is answered with 503. Versions that
/// become current are followed within the poll interval, without a request that fails or sees two versions.
public final class Daemon: Sendable {
    /// The port it listens at.
    public let port: UInt16

    private let configuration: Configuration
    private let server: HTTPServer
    private let polls: PollTimer
    private let hasStopped = DispatchSemaphore(value: 0)
    private let isStopping = Atomic(false)

    /// Cancelling is all that is done to it, from any thread.
    private struct PollTimer: @unchecked Sendable {
        let timer: any DispatchSourceTimer
    }

    /// Starts to listen, and to follow the store.
    ///
    /// - Throws: `ServiceError.addressRefused` for an address that other machines can reach, `startFailed` if the
    ///   port is taken or a limit is out of bounds.
    public init(_ configuration: Configuration) throws(ServiceError) {
        try configuration.validate()
        let follower = VersionFollower(
            store: configuration.store, weights: configuration.weights, log: configuration.log)
        let directory = configuration.directory.map { LoggedDirectory($0, log: configuration.log) }
        let responder = Responder(follower: follower, directory: directory, now: configuration.now)
        let answer = RequestLog.wrap(responder, log: configuration.requestLog, now: configuration.now)
        do {
            server = try HTTPServer(
                configuration.server, refusal: { Problem.refused($0).response(instance: nil) }, handler: answer)
        } catch {
            throw ServiceError(.startFailed, error.message)
        }
        self.configuration = configuration
        port = server.port
        configuration.log("listening at port \(port) of \(server.address)")
        polls = PollTimer(timer: follower.start(interval: configuration.pollInterval))
    }

    deinit { polls.timer.cancel() }

    /// Waits until `stop` has been called and is done.
    public func run() {
        hasStopped.wait()
        // For whoever else waits.
        hasStopped.signal()
    }

    /// Stops: no new connections, responses under way are sent; returns when all is over.
    ///
    /// To be called from any thread but those that answer requests; a second call returns at once.
    public func stop() {
        guard !isStopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        configuration.log("stopping")
        polls.timer.cancel()
        server.stop(waitingAtMost: configuration.stopGrace)
        configuration.log("stopped")
        hasStopped.signal()
    }
}
