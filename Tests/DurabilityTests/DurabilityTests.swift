import Foundation
import TestSupport
import Testing

@Suite("Durability")
struct DurabilityTests {
    @Test("What is acknowledged is there when any write, sync, truncation or open of the catalog fails")
    func catalogFaults() throws { try failEverywhere(CatalogWork.self) }

    @Test("What is acknowledged is there when any write, sync, truncation or open of a journal fails")
    func journalFaults() throws { try failEverywhere(JournalWork.self) }

    @Test("What is acknowledged is there when any write, truncation or open of the sessions fails")
    func sessionFaults() throws { try failEverywhere(SessionWork.self) }

    @Test("What is acknowledged is in the catalog after a loss of power at any moment", arguments: PowerLoss.allCases)
    func catalogPower(loss: PowerLoss) throws { try losePowerEverywhere(CatalogWork.self, loss) }

    @Test("What is acknowledged is in a journal after a loss of power at any moment", arguments: PowerLoss.allCases)
    func journalPower(loss: PowerLoss) throws { try losePowerEverywhere(JournalWork.self, loss) }

    @Test("No list is another one after a loss of power at any moment", arguments: PowerLoss.allCases)
    func sessionPower(loss: PowerLoss) throws { try losePowerEverywhere(SessionWork.self, loss) }

    /// Lets the disk fail at its first, second, … operation, once and for good, until the work goes through.
    private func failEverywhere<Some: Work>(_ type: Some.Type) throws {
        for isForGood in [false, true] {
            var number = 0
            while true {
                number += 1
                let disk = try FaultyDisk(failing: .init(number: number, isForGood: isForGood))
                let context = "operation \(number)\(isForGood ? " and all after it" : "")"
                let acknowledged = try work(type, on: disk, context)
                #expect(throws: Never.self, "\(context)") {
                    let kept = try Some.steps(in: disk.path)
                    #expect(kept.isSuperset(of: acknowledged), "\(context): \(acknowledged) of \(kept)")
                }
                guard disk.failures > 0 else { break }
            }
            // The work is of some size: else it proves nothing.
            #expect(number > 20)
        }
    }

    /// Works on a disk that fails, and once more when it is mended.
    ///
    /// - Returns: the steps that were acknowledged.
    private func work<Some: Work>(_ type: Some.Type, on disk: FaultyDisk, _ context: String) throws -> Set<Int> {
        var work = try Some(in: disk.path)
        var acknowledged: Set<Int> = []
        for step in 0..<Some.stepCount where (try? work.perform(step)) != nil { acknowledged.insert(step) }
        disk.mend()
        // Nothing has to be started anew; but what was never begun has to be.
        #expect(throws: Never.self, "\(context), once it is mended") {
            let kept = try Some.steps(in: disk.path)
            for step in 0...Some.stepCount where !acknowledged.contains(step) {
                if !kept.contains(step) { try work.perform(step) }
                acknowledged.insert(step)
            }
        }
        return acknowledged
    }

    /// Loses power before each operation of the work.
    private func losePowerEverywhere<Some: Work>(_ type: Some.Type, _ loss: PowerLoss) throws {
        let disk = try FaultyDisk()
        do {
            var work = try Some(in: disk.path)
            for step in 0..<Some.stepCount {
                try work.perform(step)
                disk.noteAcknowledged(step)
            }
        }
        var generator = SeededGenerator(seed: 7)
        var content = DiskContent()
        var acknowledged: Set<Int> = []
        var last: (files: [String: [UInt8]], kept: Set<Int>)?
        for (number, operation) in disk.operations.enumerated() {
            content.apply(operation)
            if case .acknowledged(let step) = operation { acknowledged.insert(step) }
            let files = content.files(after: loss, using: &generator)
            let context = "after operation \(number), \(operation.name)"
            #expect(throws: Never.self, "\(context)") {
                // The same files as before this operation have the same steps, and work went on from them.
                let kept = try last?.files == files ? last?.kept ?? [] : goOn(type, from: files)
                last = (files, kept)
                #expect(
                    Some.losesWithPower || kept.isSuperset(of: acknowledged), "\(context): \(acknowledged) of \(kept)")
            }
        }
    }

    /// Goes on with the work on files that a loss of power has left.
    ///
    /// - Returns: the steps that the files had.
    private func goOn<Some: Work>(_ type: Some.Type, from files: [String: [UInt8]]) throws -> Set<Int> {
        let folder = try TemporaryDirectory()
        for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/" + name)) }
        let kept = try Some.steps(in: folder.path)
        var work = try Some(in: folder.path)
        for step in 0...Some.stepCount where !kept.contains(step) { try work.perform(step) }
        return kept
    }
}

extension FaultyDisk.Operation {
    /// What it is, without what was written.
    var name: String {
        switch self {
        case .open(let name): "open \(name)"
        case .write(let name, let offset, let bytes): "write \(name) \(offset) \(bytes.count)"
        case .truncate(let name, let size): "truncate \(name) \(size)"
        case .sync(let name): "sync \(name)"
        case .delete(let name, _): "delete \(name)"
        case .acknowledged(let step): "acknowledge \(step)"
        }
    }
}
