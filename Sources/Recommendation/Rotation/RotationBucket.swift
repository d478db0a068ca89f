/// The spans of time for which a member's order stays as it is.
enum RotationBucket {
    /// The number of the bucket an instant is in.
    ///
    /// Buckets of all members are equally long; their edges are spread over members.
    ///
    /// - Parameters:
    ///   - instantMilliseconds: Unix milliseconds.
    ///   - memberKey: the member's key.
    ///   - milliseconds: how long a bucket is, above 0.
    static func number(atMilliseconds instant: Int64, memberKey: (UInt64, UInt64), milliseconds: Int64) -> Int64 {
        let shift = Int64(memberKey.0 % UInt64(milliseconds))
        let (quotient, remainder) = (instant + shift).quotientAndRemainder(dividingBy: milliseconds)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
