/// A shell that a completion script can be written for.
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
    public func completion(_ shell: Shell) -> String { "" }
}
