import CFuzzer
import Foundation

// coterie-fuzz TARGET seeds FOLDER: writes the bytes to begin with.
// coterie-fuzz TARGET [option of libFuzzer | folder of inputs]…: looks for bytes for which something does not hold.

/// The target, which libFuzzer calls from one thread.
nonisolated(unsafe) private var target: (any FuzzTarget)?

private func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("coterie-fuzz: \(message)\n".utf8))
    exit(64)
}

private func writeSeeds(_ seeds: [[UInt8]], to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (number, bytes) in seeds.enumerated() {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/seed-\(number)"))
    }
}

let arguments = CommandLine.arguments
guard arguments.count > 1, let type = FuzzTargets.all[arguments[1]] else {
    fail("name a target: \(FuzzTargets.all.keys.sorted().joined(separator: ", "))")
}
let made = try type.init()
if arguments.count == 4, arguments[2] == "seeds" {
    try writeSeeds(made.seeds(), to: arguments[3])
    exit(0)
}
unsafe target = made
var count = CommandLine.argc - 1
// libFuzzer takes what stands first for the program's name.
var values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv + 1
exit(
    unsafe LLVMFuzzerRunDriver(&count, &values) { bytes, count in
        do {
            try unsafe target?.take(Array(UnsafeBufferPointer(start: bytes, count: count)))
        } catch { fatalError("\(error)") }
        return 0
    })
