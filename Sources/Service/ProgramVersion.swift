internal import CBuild

/// The version of this program: its number, and the build and the commit that it was made from.
package struct ProgramVersion: Sendable, Equatable, CustomStringConvertible {
    package static let number = "0.1.0"

    package static let current = ProgramVersion(buildName: unsafe String(cString: coterie_build_name()))

    /// The name of the build, which grows from commit to commit; `nil` for a build by hand.
    package let build: String?
    /// The short name of the commit, or `nil` if it is not known.
    package let commit: String?

    /// Creates the version of a build.
    ///
    /// - Parameter buildName: three parts with dots between them, or empty for a build by hand. The parts are the time
    ///   of the commit, the number of commits, and the name of the commit.
    init(buildName: String) {
        let parts = buildName.split(separator: ".")
        build = parts.isEmpty ? nil : parts.prefix(2).joined(separator: ".")
        commit = parts.count > 2 ? parts.dropFirst(2).joined(separator: ".") : nil
    }

    /// The version as a package has it: `0.1.0+20261126001200.1523.a3069bb`, or `0.1.0+byhand`.
    package var description: String {
        Self.number + "+" + (build.map { ([$0] + [commit].compactMap(\.self)).joined(separator: ".") } ?? "byhand")
    }
}

extension ProgramVersion: MetricSource {
    func write(to text: inout MetricsText) {
        text.gauge(
            "coterie_build_info", "The version of the program, as labels; always 1.", 1,
            [("version", Self.number), ("build", build ?? "byhand"), ("commit", commit ?? "")])
    }
}
