/// A shell that a completion script can be made for.
public enum Shell: String, Sendable, CaseIterable {
    /// GNU Bash 4.4 or later.
    case bash
    /// The Z shell.
    case zsh
    /// The friendly interactive shell.
    case fish
}

extension CommandLineProgram {
    /// A script for a shell that completes this program's commands, options and values.
    public func completion(_ shell: Shell) -> String {
        let lines =
            switch shell {
            case .bash: bashCompletion
            case .zsh: zshCompletion
            case .fish: fishCompletion
            }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// What a shell offers for a value.
enum ValueCompletion {
    case words([String])
    case files
    case folders
    case nothing

    init(_ option: Option) {
        self = option.allowedValues.isEmpty ? Self(placeholder: option.placeholder) : .words(option.allowedValues)
    }

    init(placeholder: String?) {
        switch placeholder {
        case "FILE": self = .files
        case "FOLDER": self = .folders
        default: self = .nothing
        }
    }
}

extension Command {
    /// What a shell offers for an argument: the same for all arguments of a command, because not every shell can tell
    /// which one is being completed.
    var argumentCompletion: ValueCompletion {
        let names = Set(arguments.map(\.name))
        if names.contains("FILE") { return .files }
        return names.contains("FOLDER") ? .folders : .nothing
    }
}

extension Option {
    /// All its spellings: `--limit`, `-n`.
    var spellings: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }
}
