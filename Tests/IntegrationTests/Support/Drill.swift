import Foundation
import Testing

/// A test that is long by nature: kills, weeks, small disks, browsers, Spark.
///
/// `Jobs/drills` has the table of all.
enum Drill {
    /// Whether drills run: `Jobs/drills` sets this variable in the environment of the tests.
    static let isOn = rounds > 0

    /// The factor of the number of kills and damages, which is the value of the variable.
    static let rounds = ProcessInfo.processInfo.environment["COTERIE_TEST_DRILLS"].flatMap { Int($0) } ?? 0
}

extension Trait where Self == ConditionTrait {
    /// Only `Jobs/drills` runs these tests.
    static var drill: Self { .enabled(if: Drill.isOn, "a drill, which Jobs/drills runs") }
}
