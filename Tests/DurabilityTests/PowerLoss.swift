import TestSupport

/// What becomes of writes that were not synced when power is lost.
enum PowerLoss: CaseIterable {
    /// None of them is on the disk.
    case dropped
    /// All are.
    case kept
    /// Some are, in any order.
    case mixed
    /// Parts of some are, and other parts are garbage.
    case scrambled
}

/// The content of a disk, as far as it has been synced, and what was done since.
struct DiskContent {
    private enum Change {
        case write(offset: Int, [UInt8])
        case truncate(size: Int)
    }

    private struct File {
        /// As it was synced last; nil if it never was, so that it may not exist.
        var synced: [UInt8]?
        var changes: [Change] = []
    }

    private var files: [String: File] = [:]
    /// Deleted files, of which the deletion has not been synced.
    private var deleted: [String: File] = [:]

    mutating func apply(_ operation: FaultyDisk.Operation) {
        switch operation {
        case .open(let name): if files[name] == nil { files[name] = File() }
        case .write(let name, let offset, let bytes):
            files[name, default: File()].changes.append(.write(offset: offset, bytes))
        case .truncate(let name, let size): files[name, default: File()].changes.append(.truncate(size: size))
        case .sync(let name):
            guard let file = files[name] else { return }
            var bytes = file.synced ?? []
            for change in file.changes { Self.apply(change, to: &bytes) }
            files[name] = File(synced: bytes)
            // SQLite syncs the folder with a file that it has just made.
            if file.synced == nil { deleted = [:] }
        case .delete(let name, let isSynced):
            if let file = files.removeValue(forKey: name), !isSynced, deleted[name] == nil { deleted[name] = file }
            if isSynced { deleted = [:] }
        case .acknowledged: break
        }
    }

    /// The files that are there after a loss of power.
    func files<Generator: RandomNumberGenerator>(after loss: PowerLoss, using generator: inout Generator) -> [String:
        [UInt8]]
    {
        var left: [String: [UInt8]] = [:]
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            if let bytes = Self.bytes(of: file, after: loss, &generator) { left[name] = bytes }
        }
        for (name, file) in deleted.sorted(by: { $0.key < $1.key }) where Self.isLost(loss, &generator) {
            // The folder has the old file still.
            if let bytes = Self.bytes(of: file, after: loss, &generator) { left[name] = bytes }
        }
        return left
    }

    private static func isLost(_ loss: PowerLoss, _ generator: inout some RandomNumberGenerator) -> Bool {
        switch loss {
        case .dropped: true
        case .kept: false
        case .mixed, .scrambled: Bool.random(using: &generator)
        }
    }

    private static func bytes(of file: File, after loss: PowerLoss, _ generator: inout some RandomNumberGenerator)
        -> [UInt8]?
    {
        if file.synced == nil, isLost(loss, &generator) { return nil }
        var bytes = file.synced ?? []
        for change in file.changes where !isLost(loss, &generator) {
            guard loss == .scrambled, case .write(let offset, let written) = change else {
                apply(change, to: &bytes)
                continue
            }
            // Sectors of 512 bytes; only what was being written can be spoiled.
            for start in stride(from: 0, to: written.count, by: 512) {
                var sector = Array(written[start..<min(start + 512, written.count)])
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: continue
                case 1: sector = sector.map { _ in UInt8.random(in: 0...255, using: &generator) }
                default: break
                }
                apply(.write(offset: offset + start, sector), to: &bytes)
            }
        }
        return bytes
    }

    private static func apply(_ change: Change, to bytes: inout [UInt8]) {
        switch change {
        case .write(let offset, let written):
            let end = offset + written.count
            if bytes.count < end { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
            bytes.replaceSubrange(offset..<end, with: written)
        case .truncate(let size):
            if size < bytes.count {
                bytes.removeSubrange(size...)
            } else {
                bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
            }
        }
    }
}
