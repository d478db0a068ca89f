import Basics
import CEpoll
import Glibc

/// A listening socket, which is closed when the value is destroyed.
struct ListeningSocket: ~Copyable {
    let descriptor: Int32
    let isVersion6: Bool

    /// The most connections that the system keeps until they are accepted.
    static let backlog: Int32 = 511

    init(address: String, port: UInt16) throws(Failure) {
        isVersion6 = address.contains(":")
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = socket(isVersion6 ? AF_INET6 : AF_INET, kind, 0)
        guard descriptor >= 0 else {
            throw Failure(.general, "cannot open a socket: \(SystemWords.lastError)")
        }
        // Otherwise connections that ended in the last minute prevent a restarted server from using its port.
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let outcome = isVersion6 ? try bindVersion6(address, port) : try bindVersion4(address, port)
        guard outcome == 0, listen(descriptor, Self.backlog) == 0 else {
            throw Self.failure(errno, address: address, port: port)
        }
    }

    deinit { close(descriptor) }

    /// The port at which the socket listens, also if port 0 was requested.
    var port: UInt16 {
        // Both address families have the port at the same offset.
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let outcome = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        precondition(outcome == 0, "a bound socket has no address")
        return UInt16(bigEndian: storage.sin6_port)
    }

    private func bindVersion4(_ address: String, _ port: UInt16) throws(Failure) -> Int32 {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        guard unsafe inet_pton(AF_INET, address, &name.sin_addr) == 1 else { throw Self.notAnAddress(address) }
        return unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private func bindVersion6(_ address: String, _ port: UInt16) throws(Failure) -> Int32 {
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port.bigEndian
        guard unsafe inet_pton(AF_INET6, address, &name.sin6_addr) == 1 else { throw Self.notAnAddress(address) }
        return unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    private static func notAnAddress(_ address: String) -> Failure {
        Failure(.general, "\"\(address)\" is not a numeric address: write it as 127.0.0.1 or ::1")
    }

    private static func failure(_ number: Int32, address: String, port: UInt16) -> Failure {
        switch number {
        case EADDRINUSE:
            Failure(.general, "port \(port) of \(address) is taken: stop what listens there, or use another port")
        case EACCES:
            Failure(.general, "port \(port) of \(address) is not allowed to this user: use one of 1024 or more")
        case EADDRNOTAVAIL: Failure(.general, "\(address) is not an address of this machine")
        default:
            Failure(.general, "cannot listen at port \(port) of \(address): \(SystemWords.words(ofError: number))")
        }
    }
}

/// The descriptors that a thread waits for with epoll, with a way to wake the thread.
struct Poller: ~Copyable {
    /// The event to wait for on a connection, besides its end.
    enum Purpose {
        case reading
        case writing
        /// No event but the end of both sides.
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

    init() throws(Failure) {
        set = shim_epoll_create()
        wakeUp = shim_eventfd()
        guard set >= 0, wakeUp >= 0, shim_epoll_add(set, wakeUp) == 0 else {
            throw Failure(.general, "cannot wait for connections: \(SystemWords.lastError)")
        }
    }

    deinit {
        close(set)
        close(wakeUp)
    }

    /// Starts waiting for connections to a listening socket, which several pollers may share.
    func add(listener: Int32) -> Bool { shim_epoll_add_shared(set, listener) == 0 }

    /// Starts waiting until a connection can be read.
    func add(_ descriptor: Int32) -> Bool { shim_epoll_add(set, descriptor) == 0 }

    /// Changes the event to wait for.
    func change(_ descriptor: Int32, to purpose: Purpose) { _ = shim_epoll_change(set, descriptor, purpose.number) }

    func remove(_ descriptor: Int32) { _ = shim_epoll_remove(set, descriptor) }

    /// Ends the wait of another thread.
    func wake() { _ = eventfd_write(wakeUp, 1) }

    /// Waits for events; -1 milliseconds means no time limit.
    ///
    /// - Returns: the descriptors with an event, each once.
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
