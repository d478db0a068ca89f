import CommandLineOptions
import Glibc

/// Arguments of a benchmark that has a table of options.
enum BenchmarkArguments {
    /// The arguments by name; prints the help and ends if that is what was asked for.
    static func parse(_ arguments: [String], _ command: Command) throws(BenchError) -> ParsedCommand {
        let program = CommandLineProgram(
            name: "coterie-bench", summary: "Measures Coterie", version: "0.1.0", commands: [command])
        do throws(UsageError) {
            switch try program.parse([command.name] + arguments, environment: [:]) {
            case .run(let parsed): return parsed
            case .help(let text), .version(let text):
                print(text)
                exit(0)
            }
        } catch { throw .usage(error.description) }
    }
}

/// A number with so many digits after the point.
func fixed(_ value: Double, _ digits: Int) -> String {
    let scale = pow(10, Double(digits))
    let rounded = (value.magnitude * scale).rounded()
    let (whole, part) = (Int(rounded / scale), Int(rounded.truncatingRemainder(dividingBy: scale)))
    let padding = String(repeating: "0", count: max(0, digits - String(part).count))
    return (value < 0 ? "-" : "") + "\(whole)" + (digits > 0 ? ".\(padding)\(part)" : "")
}
