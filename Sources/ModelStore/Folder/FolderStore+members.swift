package import Basics
package import Model

extension FolderStore {
    /// Opens the members of a version, after verifying the table of their file.
    package func members(of loaded: LoadedVersion) throws(Failure) -> PublishedMembers? {
        let folder = layout.version(loaded.manifest.version)
        do throws(Failure) { return try members(of: loaded, in: folder) } catch {
            // Members may have been erased or made anew since the version was loaded.
            let present = try manifest(of: loaded.manifest.version)
            guard present.erasure?.number != loaded.manifest.erasure?.number else { throw error }
            return try members(of: LoadedVersion(manifest: present, model: loaded.model), in: folder)
        }
    }

    func members(of loaded: LoadedVersion, in folder: String) throws(Failure) -> PublishedMembers? {
        try members(of: loaded.manifest, groupCount: loaded.model.groupCount, in: folder)
    }

    private func members(of manifest: Manifest, groupCount: Int, in folder: String) throws(Failure)
        -> PublishedMembers?
    {
        guard let report = manifest.members else { return nil }
        return try PublishedMembers(
            FolderLayout.members(in: folder, of: manifest), report, manifest.coding(groupCount: groupCount))
    }

    /// Removes forgotten members: writes a file without them, which the manifest then names.
    package func eraseMembers(
        of version: VersionName, mark: String, at now: Int64, where isForgotten: (_ id: ArraySlice<UInt8>) -> Bool
    ) throws(Failure) -> Int {
        try FolderLock.whilePublishing(in: layout) { () throws(Failure) in
            let (manifest, folder) = (try manifest(of: version), layout.version(version))
            guard let report = manifest.members,
                let members = try members(of: manifest, groupCount: manifest.groups.included, in: folder)
            else { return 0 }
            var erasure = MemberErasure(of: report)
            try members.forEachBucket { number, bytes, checksum throws(Failure) in
                erasure.take(bytes, number: number, checksum: checksum, where: isForgotten)
            }
            let present = erasure.manifest(from: manifest, mark: mark, at: now)
            guard erasure.count > 0 else {
                try replaceManifest(present)
                return 0
            }
            try replaceMembers(of: present) { path throws(Failure) in
                var writer = try PublishedMembersWriter(path, durability: durability)
                try members.forEachBucket { number, bytes, checksum throws(Failure) in
                    guard let changed = erasure.buckets[number] else {
                        return try writer.append(bytes.span, checksum: checksum)
                    }
                    let checksum = MembersChecksum.checksum(ofBucket: changed.span, number: number)
                    try writer.append(changed.span, checksum: checksum)
                }
                try writer.finish()
                return present.members
            }
            return erasure.count
        }
    }

    /// Replaces the members: writes a file of the new ones, which the manifest then names.
    package func replaceMembers(
        of version: VersionName, by members: any MemberSource, _ renewed: (Manifest) -> Manifest
    ) throws(Failure) {
        try FolderLock.whilePublishing(in: layout) { () throws(Failure) in
            let manifest = try manifest(of: version)
            guard let report = manifest.members else { return }
            let packed = PackedMembers(
                members, manifest.coding(groupCount: manifest.groups.included), bucketCount: report.bucketCount)
            try replaceMembers(of: renewed(manifest)) { path throws(Failure) in
                try PublishedMembersWriter.write(packed, to: path, durability) { _ in }
            }
        }
    }

    /// Replaces the file of members by the one that a manifest names, and then the manifest.
    ///
    /// - Parameter write: writes the file, and returns the report on the members.
    private func replaceMembers(
        of manifest: Manifest, _ write: (_ path: String) throws(Failure) -> Manifest.MembersReport?
    ) throws(Failure) {
        let folder = layout.version(manifest.version)
        let path = FolderLayout.members(in: folder, of: manifest)
        // A killed process may have left one.
        try FileTree.remove(path)
        var manifest = manifest
        manifest.members = try write(path)
        try members(of: manifest, groupCount: manifest.groups.included, in: folder)?.verify()
        try replaceManifest(manifest)
    }

    /// Replaces the manifest of a version in one step, and removes files of members that the new one does not name.
    func replaceManifest(_ manifest: Manifest) throws(Failure) {
        let folder = layout.version(manifest.version)
        try FileTree.replace(FolderLayout.manifest(in: folder), content: ManifestJSON.encode(manifest), durability)
        let named = FolderLayout.members(in: folder, of: manifest)
        let stem = FolderLayout.members(in: folder)
        for path in try FileTree.names(in: folder).map({ folder + "/" + $0 })
        where path != named && (path == stem || path.hasPrefix(stem + ".")) {
            try FileTree.remove(path)
        }
        try FileTree.synchronizeDirectory(folder, durability)
    }
}
