extension CommandLineProgram {
    var usageLine: String { "\(name) COMMAND [OPTIONS] [ARGUMENTS]" }
    /// The help of the program: what it is and its commands.
    public var help: String { "\(name): \(summary)\n" }
    /// The help of one command.
    public func help(for command: Command) -> String { "\(name) \(command.name): \(command.summary)\n" }
}

extension Command {
    /// How it is called: name, required options, `[OPTIONS]`, arguments.
    func usageLine(_ program: String) -> String {
        let required = options.filter(\.isRequired).map { "--\($0.name) \($0.placeholder ?? "")" }
        let arguments = arguments.map { argument in
            let name = argument.isRepeating ? "\(argument.name)..." : argument.name
            return argument.isOptional ? "[\(name)]" : name
        }
        let hasOthers = options.contains { !$0.isRequired }
        return ([program, name] + required + (hasOthers ? ["[OPTIONS]"] : []) + arguments).joined(separator: " ")
    }
}
