extension Plan {
    /// A number that tells this list of a member from others of the same model version: of the member, the bucket
    /// and the order.
    ///
    /// - Parameter userID: whose list it is.
    public func fingerprint(ofUser userID: String) -> UInt64 {
        var bytes = Array(userID.utf8) + [0]
        bytes.reserveCapacity(bytes.count + 8 + 4 * items.count)
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bucket >> shift)) }
        for item in items {
            for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: item.group >> shift)) }
        }
        return KeyedHash.hash(bytes, key: (0, 0))
    }
}
