import Dispatch
import Glibc

extension Daemon {
    /// Holds SIGTERM and SIGINT back from now on until `runUntilTerminated` takes them, so that one that comes while
    /// the daemon starts is not lost and does not kill it.
    ///
    /// For the process whose main purpose the daemon is, before it has any other thread: how a process takes signals is
    /// one setting for all of it.
    public static func holdTerminationSignals() {
        var signals = terminationSignals
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Stops on SIGTERM and SIGINT, which were held back before the daemon was made; returns when it has stopped.
    public func runUntilTerminated() {
        DispatchQueue(label: "termination").async { [self] in
            var signals = Self.terminationSignals
            var number: Int32 = 0
            // It fails only for a set that has no signal in it.
            unsafe sigwait(&signals, &number)
            stop()
        }
        run()
    }

    private static var terminationSignals: sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGTERM, SIGINT] { unsafe sigaddset(&signals, number) }
        return signals
    }
}
