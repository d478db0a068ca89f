import Glibc

/// The board of a store in a folder: a file for each daemon, which counts by its time of change.
struct FolderBoard: DaemonBoard {
    let layout: FolderLayout

    func post(_ report: [UInt8], ofDaemon id: String) throws(StoreError) {
        try FileTree.makeDirectory(layout.daemons)
        // What killed daemons left.
        for name in try FileTree.names(in: layout.daemons) where !Self.isRecent(layout.daemon(name)) {
            try FileTree.remove(layout.daemon(name))
        }
        let draft = "\(layout.daemons)/.\(id).new"
        try FileTree.remove(draft)
        let file = try OpenFile(draft, for: .creating)
        try file.write(unsafe report.span.bytes, at: 0)
        try FileTree.move(draft, to: layout.daemon(id))
    }

    func withdraw(_ id: String) throws(StoreError) { try FileTree.remove(layout.daemon(id)) }

    func reports() throws(StoreError) -> [[UInt8]] {
        var reports: [[UInt8]] = []
        for name in try FileTree.names(in: layout.daemons).sorted() where !name.hasPrefix(".") {
            let path = layout.daemon(name)
            guard Self.isRecent(path) else { continue }
            guard let report = try FileTree.content(of: path, limit: DaemonReports.maximumByteCount) else { continue }
            reports.append(report)
        }
        return reports
    }

    private static func isRecent(_ path: String) -> Bool {
        guard let milliseconds = FileTree.changeTimeMilliseconds(of: path) else { return false }
        return abs(Int64(time(nil)) - milliseconds / 1000) <= Int64(DaemonReports.lifetimeSeconds)
    }
}
