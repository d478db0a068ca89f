import Foundation

/// The checkout that these tests are of, and what lies in it and beside it.
enum Checkout {
    /// The folder of Package.swift.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// The folder of the programs under test, which are built beside the test bundle.
    static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .path

    /// The program under test.
    static let program = programs + "/coterie"

    /// The library that kills a program at a step, by LD_PRELOAD.
    static let killer = programs + "/libKilledAtStep.so"

    /// The brute force, which uses no code of this package.
    static let bruteForce = root + "/Tests/IntegrationTests/BruteForce/neighbours.py"
    /// The script that scores lists by itself.
    static let accuracyScript = root + "/Tests/IntegrationTests/BruteForce/accuracy.py"

    /// A script that uses the component in a browser, such as "store.py".
    static func browserScript(_ name: String) -> String { "\(root)/Tests/IntegrationTests/Browser/\(name)" }

    /// A file of the sample community.
    static func sample(_ kind: String) -> String { "\(root)/Data/sample/\(kind).tsv" }

    /// A file of the public data that lies beside a checkout where the project is developed, as
    /// "youtube/memberships.tsv".
    static func sharedData(_ path: String) -> String { root + "/../shared/data/" + path }

    /// Whether that data is here.
    static let hasSharedData = FileManager.default.fileExists(atPath: sharedData("README.md"))

    /// Where a program is on the PATH.
    static func tool(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
