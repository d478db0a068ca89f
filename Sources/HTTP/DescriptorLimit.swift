import Glibc

/// The limit of this process on open descriptors: connections, files and pipes together.
enum DescriptorLimit {
    /// The number of descriptors that connections leave to everything else, such as the files of a database.
    static let reserve = 128

    /// Raises the soft limit, if the hard limit allows that, so that so many descriptors can be open.
    ///
    /// - Returns: the soft limit afterwards.
    static func raised(to wanted: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        guard limit.rlim_cur < rlim_t(wanted) else { return Int(clamping: limit.rlim_cur) }
        let before = limit.rlim_cur
        limit.rlim_cur = min(limit.rlim_max, rlim_t(wanted))
        let isRaised = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return Int(clamping: isRaised ? limit.rlim_cur : before)
    }

    /// Returns the number of connections, at most so many, that leave the reserve free under a limit.
    static func connections(_ wanted: Int, under limit: Int) -> Int {
        // Under a tiny limit, half of it.
        min(wanted, max(limit - reserve, limit / 2))
    }
}
