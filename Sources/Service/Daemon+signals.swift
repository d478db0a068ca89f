import Dispatch
import Glibc

extension Daemon {
    /// Stops on SIGTERM and SIGINT instead of being killed by them, from now until `run` returns.
    ///
    /// For the process whose main purpose the daemon is: how a process takes signals is one setting for all of it.
    public func runUntilTerminated() {
        let queue = DispatchQueue(label: "termination")
        let sources = [SIGTERM, SIGINT].map { number in
            // Without it, the signal would end the process before the source hears of it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [self] in stop() }
            source.activate()
            return source
        }
        run()
        for source in sources { source.cancel() }
        for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
    }
}
