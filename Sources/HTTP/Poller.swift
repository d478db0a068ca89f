import CEpoll
import Glibc

/// The descriptors that a thread waits for with epoll, and a way to wake it.
struct Poller: ~Copyable {
    /// What is waited for on a connection; in all cases also its end.
    enum Purpose {
        case reading
        case writing
        /// Nothing but the end, of both sides.
        case end

        fileprivate var number: Int32 {
            switch self {
            case .reading: Int32(shim_for_reading)
            case .writing: Int32(shim_for_writing)
            case .end: Int32(shim_for_end)
            }
        }
    }

    private let set: Int32
    private let wakeUp: Int32

    init() throws(HTTPError) {
        set = shim_epoll_create()
        wakeUp = shim_eventfd()
        guard set >= 0, wakeUp >= 0, shim_epoll_add(set, wakeUp) == 0 else {
            throw HTTPError(.startFailed, "cannot wait for connections: \(ListeningSocket.reason(errno))")
        }
    }

    deinit {
        close(set)
        close(wakeUp)
    }

    /// Waits for connections to a listening socket, which several pollers may share.
    func add(listener: Int32) -> Bool { shim_epoll_add_shared(set, listener) == 0 }

    /// Waits until a connection can be read.
    func add(_ descriptor: Int32) -> Bool { shim_epoll_add(set, descriptor) == 0 }

    /// Waits for something else from now on.
    func change(_ descriptor: Int32, to purpose: Purpose) { _ = shim_epoll_change(set, descriptor, purpose.number) }

    func remove(_ descriptor: Int32) { _ = shim_epoll_remove(set, descriptor) }

    /// Ends the wait of another thread.
    func wake() { _ = eventfd_write(wakeUp, 1) }

    /// Waits for events; -1 milliseconds is for ever.
    ///
    /// - Returns: the descriptors with an event; each occurs once.
    func wait(milliseconds: Int32) -> [Int32] {
        var descriptors = unsafe [Int32](unsafeUninitializedCapacity: Int(shim_epoll_limit)) { buffer, count in
            count = unsafe max(Int(shim_epoll_wait(set, buffer.baseAddress, milliseconds)), 0)
        }
        guard let index = descriptors.firstIndex(of: wakeUp) else { return descriptors }
        descriptors.remove(at: index)
        var wakes: eventfd_t = 0
        unsafe eventfd_read(wakeUp, &wakes)
        return descriptors
    }
}
