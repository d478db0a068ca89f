import Glibc

/// How much is known of a member: what part of the list is personal.
enum Knowledge {
    /// 1 − 2^(−groups / half): 0 for nobody, ½ after `half` groups, and all but everything after seven times as many.
    ///
    /// - Parameters:
    ///   - groups: groups joined that are looked at.
    ///   - half: above 0.
    static func personalShare(groups: Int, half: Double) -> Double { 1 - exp2(-Double(groups) / half) }
}
