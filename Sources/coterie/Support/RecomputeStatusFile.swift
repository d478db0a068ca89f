import FoundationEssentials
import Recompute

/// The file in which the weekly job tells Prometheus how it ended.
struct RecomputeStatusFile {
    let path: String

    /// Runs the job, and writes down how it ended; that this cannot be written is no failure of the job.
    func watching(_ job: () throws -> Void) throws {
        do {
            try job()
            update { $0.succeeded(at: $1) }
        } catch {
            let failure = Failure(error)
            update { $0.failed(at: $1, exitCode: failure.exitCode, reason: failure.message) }
            throw error
        }
    }

    private func update(_ change: (inout RecomputeStatus, _ seconds: Int64) -> Void) {
        let file = URL(filePath: path)
        var status = RecomputeStatus((try? String(contentsOf: file, encoding: .utf8)) ?? "")
        change(&status, Int64(Date().timeIntervalSince1970))
        do {
            // Who collects metrics is another user, and may read at any moment.
            try Data(status.text.utf8).write(to: file, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        } catch { complain("warning: cannot write \(path): \(error)") }
    }
}
