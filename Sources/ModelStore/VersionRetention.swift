import Model

/// Which versions pruning removes.
enum VersionRetention {
    /// All but the newest `count` versions and the current one.
    ///
    /// - Parameters:
    ///   - names: oldest first.
    ///   - count: less than 1 counts as 1.
    static func removable(_ names: [VersionName], current: VersionName?, keeping count: Int) -> [VersionName] {
        names.dropLast(max(count, 1)).filter { $0 != current }
    }
}
