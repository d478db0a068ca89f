public import CommandLineOptions
import Glibc
import YAML

/// The configuration files of a program: one with defaults for all environments, and one for each environment over it.
public struct ConfigurationFiles: Sendable, Equatable {
    /// The paths, the first one first; a later one wins.
    public let paths: [String]

    /// The files of an environment.
    ///
    /// - Parameters:
    ///   - path: the file for all environments; an empty one means that there are no files.
    ///   - environment: `staging` adds `coterie.staging.yaml` beside `coterie.yaml`; nil for none.
    public init(path: String, environment: String? = nil) {
        guard !path.isEmpty else {
            paths = []
            return
        }
        paths = [path] + (environment.map { [Self.path(path, of: $0)] } ?? [])
    }

    /// Whether a text can name an environment: letters, digits, hyphens and underscores.
    public static func isEnvironmentName(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z0-9_\-]{1,64}/) != nil
    }

    /// The file of an environment: its name goes before the extension.
    private static func path(_ path: String, of environment: String) -> String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        guard let dot = path[slash...].lastIndex(of: "."), dot > slash else { return "\(path).\(environment)" }
        return "\(path[..<dot]).\(environment)\(path[dot...])"
    }

    /// What the files say.
    ///
    /// - Throws: `ConfigurationError` with the place of the first mistake.
    public func read(_ table: SettingsTable) throws(ConfigurationError) -> ConfiguredValues {
        var values = ConfiguredValues()
        for path in paths {
            var reader = FileReader(table)
            try reader.read(try Self.tree(path), group: "")
            values = values.overlaid(by: ConfiguredValues(reader.values))
        }
        return values
    }

    private static func tree(_ path: String) throws(ConfigurationError) -> YAMLNode {
        do throws(YAMLError) { return try YAMLFile.read(path) } catch { throw ConfigurationError(error) }
    }

    /// Facts that change whenever one of the files changes.
    public func stamp() -> Stamp { Stamp(files: paths.map(Stamp.File.init)) }

    /// Facts about files that change whenever one of them changes.
    public struct Stamp: Sendable, Equatable {
        fileprivate struct File: Equatable {
            var facts: [Int] = []

            /// No facts for a file that is not there.
            init(_ path: String) {
                var status = Glibc.stat()
                guard unsafe stat(path, &status) == 0 else { return }
                facts = [
                    Int(status.st_dev), Int(status.st_ino), status.st_size, status.st_mtim.tv_sec,
                    status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
                ]
            }
        }

        fileprivate let files: [File]
    }
}
