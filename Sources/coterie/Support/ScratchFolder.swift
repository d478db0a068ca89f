import FoundationEssentials

/// Makes a folder for temporary files that no other user can read, and returns its path; the caller removes it.
func makeScratchFolder(for purpose: String) throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/coterie-\(purpose)-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return path
}
