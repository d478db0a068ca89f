import Dispatch
import Glibc

extension Daemon {
    /// Holds SIGTERM, SIGINT and SIGHUP back from now on until `runUntilTerminated` takes them, so that one that comes
    /// while the daemon starts is not lost and does not kill it.
    ///
    /// A write beyond a limit on the size of files fails from now on, and does not kill it either.
    ///
    /// For the process whose main purpose the daemon is, before it has any other thread: how a process takes signals is
    /// one setting for all of it.
    public static func holdSignals() {
        var signals = heldSignals
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Reloads on SIGHUP and stops on SIGTERM and SIGINT, which were held back before the daemon was made; returns when
    /// it has stopped.
    public func runUntilTerminated() {
        DispatchQueue(label: "signals").async { [self] in
            var signals = Self.heldSignals
            var number: Int32 = 0
            repeat {
                // It fails only for a set that has no signal in it.
                unsafe sigwait(&signals, &number)
                if number == SIGHUP { reload() }
            } while number == SIGHUP
            stop()
        }
        run()
    }

    private static var heldSignals: sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&signals, number) }
        return signals
    }
}
