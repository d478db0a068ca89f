import CommandLine
import FoundationEssentials
import Glibc

/// A command that another program has now; the old name works until it is removed.
enum MovedCommand {
    /// The commands of `coterie-bench` that were commands of this program.
    private static let names = ["generate"]
    private static let program = "coterie-bench"

    /// Replaces this process by the other program, if the words after the program's name are a command of it.
    ///
    /// - Throws: `Failure` if the other program is not beside this one.
    static func run(_ words: [String]) throws(Failure) {
        guard let name = words.first, names.contains(name) else { return }
        printToStandardError("coterie: \"coterie \(name)\" will be removed: it is \"\(program) \(name)\" now")
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let path = own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/" + program
        var arguments = unsafe ([path] + words).map { unsafe strdup($0) } + [nil]
        unsafe execv(path, &arguments)
        let reason = unsafe String(cString: strerror(errno))
        throw Failure(Failure.general, "cannot run \(path): \(reason); it must be beside this program")
    }
}
