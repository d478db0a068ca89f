import Foundation
@testable import Service
import TestSupport
import Testing

@Suite("Lines of the log")
struct LogQueueTests {
    @Test(
        "that a full disk does not take are counted, and told when there is room",
        .enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"))
    func fullDisk() throws {
        let disk = try SmallDisk(kibibytes: 64)
        let path = disk.path + "/log"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let queue = LogQueue(descriptor: descriptor)
        func add(_ line: String) { queue.add(line); _ = queue.flush(waitingAtMost: .seconds(60)) }
        add(#"{"message":"first"}"#)
        try disk.fill()
        // Longer than what is left of the file's last page: the first one is written in part.
        let long = #"{"message":""# + String(repeating: "x", count: 6000) + #""}"#
        for _ in 0..<3 { add(long) }
        func metrics() -> String {
            var text = MetricsText()
            queue.write(to: &text)
            return String(decoding: text.bytes, as: UTF8.self)
        }
        #expect(metrics().hasSuffix("coterie_log_dropped_total 3\n"), "\(metrics())")
        try disk.makeRoom()
        add(#"{"message":"room again"}"#)
        add(#"{"message":"last"}"#)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        let whole = lines.filter { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) != nil }
        #expect(lines.first == #"{"message":"first"}"# && whole.last == #"{"message":"last"}"#, "\(lines)")
        #expect(whole.count == 4 && whole.contains { $0.contains(#""linesDropped":3"#) }, "\(whole)")
        // At most the one line that was cut short is none.
        #expect(lines.count <= 5, "\(lines)")
        #expect(metrics().hasSuffix("coterie_log_dropped_total 3\n"))
    }
}
