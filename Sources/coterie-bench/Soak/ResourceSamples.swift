/// Memory and open files of a daemon, once a second.
struct ResourceSamples {
    private var memory: [Int] = []
    private var files: [Int] = []

    mutating func take(of child: Child) throws {
        memory.append(try child.anonymousBytes())
        files.append(try child.descriptorCount())
    }

    /// The median of the anonymous memory in each third of the time, in bytes.
    var memoryByThird: [Int] { Self.thirds(of: memory).map { $0.sorted()[$0.count / 2] } }

    /// The most open files in each third of the time.
    var filesByThird: [Int] { Self.thirds(of: files).compactMap { $0.max() } }

    /// What has grown from the second third to the last, or nil.
    ///
    /// The first third fills caches. In less than three minutes that is not over.
    var growth: String? {
        guard memory.count >= 180 else { return nil }
        let (memory, files) = (memoryByThird, filesByThird)
        if memory[2] > memory[1] + memory[1] / 10 + 8 << 20 {
            return "its memory grew from \(memory[1]) to \(memory[2]) bytes"
        }
        return files[2] > files[1] + 8 ? "its open files grew from \(files[1]) to \(files[2])" : nil
    }

    private static func thirds(of samples: [Int]) -> [[Int]] {
        (0..<3).map { Array(samples[samples.count * $0 / 3..<samples.count * ($0 + 1) / 3]) }
    }
}
