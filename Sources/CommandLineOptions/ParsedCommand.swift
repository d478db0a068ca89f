/// A command with the values of its arguments and options.
///
/// A value comes from the command line, else from the option's environment variable, else from a configuration file,
/// else from its default. Asking for an option that the command does not have is a mistake of the programmer's and ends
/// the process.
public struct ParsedCommand: Sendable {
    /// The command that was chosen.
    public let command: Command
    /// Its arguments, in order; at least as many as are required; `-`, for standard input, is one of them.
    public let arguments: [String]
    /// The values of each option by its long name; a flag that is on has the value "".
    let values: [String: [String]]
    /// Where values come from, by the long names of options; those that are missing have their default.
    let origins: [String: ValueOrigin]
    let errors: CommandErrors

    /// The name of the command.
    public var name: String { command.name }

    /// Whether a flag is on.
    public func flag(_ name: String) -> Bool {
        precondition(option(name).isFlag, "--\(name) is not a flag")
        return values[name]?.isEmpty == false
    }

    /// The value of an option that is required or has a default.
    public func text(_ name: String) -> String {
        guard let value = textIfGiven(name) else {
            preconditionFailure("--\(name) is neither required nor has it a default: use textIfGiven")
        }
        return value
    }

    /// The value of an option, or nil if it has none.
    public func textIfGiven(_ name: String) -> String? { texts(name).last }

    /// The values of an option that may be given more than once, in the order of the command line.
    public func texts(_ name: String) -> [String] {
        precondition(!option(name).isFlag, "--\(name) is a flag")
        return values[name] ?? []
    }

    /// Where the value of an option comes from.
    public func origin(of name: String) -> ValueOrigin { origins[name] ?? .standard }

    /// The options of the command that are settings, in their order, each with its values.
    public var settings: [(option: Option, texts: [String])] {
        command.options.filter { $0.setting != nil }.map { ($0, values[$0.name] ?? []) }
    }

    func option(_ name: String) -> Option {
        guard let option = command.option(named: name) else {
            preconditionFailure("the table of \(command.name) has no --\(name)")
        }
        return option
    }
}
