import Glibc

/// The board of a store in a folder: a file for each daemon, which counts by its time of change.
struct FolderBoard: DaemonBoard {
    let layout: FolderLayout

    func post(_ report: [UInt8], ofDaemon id: String) throws(StoreError) {
        try FileTree.makeDirectory(layout.daemons)
        let draft = "\(layout.daemons)/.\(id).new"
        // What a killed daemon left.
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
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        return abs(time(nil) - status.st_mtim.tv_sec) <= DaemonReports.lifetimeSeconds
    }
}
