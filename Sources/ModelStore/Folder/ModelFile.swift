import Basics
import Model

/// Writes a model file in pieces.
struct ModelFileWriter: ~Copyable {
    private let file: OpenFile
    private let placement: SectionPlacement
    private let durability: Durability

    /// Creates the file, reserves its space on the disk and writes its header.
    init(_ path: String, placement: SectionPlacement, durability: Durability) throws(Failure) {
        let file = try OpenFile(path, for: .creating)
        try file.reserve(byteCount: placement.byteCount)
        try unsafe file.write(placement.header.span.bytes, at: 0)
        self.file = file
        self.placement = placement
        self.durability = durability
    }

    /// Writes bytes of a section, `offset` bytes after its beginning.
    ///
    /// - Throws: `Failure.corrupt` if the bytes do not fit into the section.
    func write(_ bytes: RawSpan, to name: ModelLayout.SectionName, at offset: Int) throws(Failure) {
        guard let range = placement[name], offset >= 0, bytes.byteCount <= range.count - offset else {
            throw Failure(.corrupt, "section \"\(name.rawValue)\" is longer than its manifest says")
        }
        let start = range.lowerBound + offset
        try file.write(bytes, at: start)
        if durability == .powerLoss { file.evict(start..<start + bytes.byteCount) }
    }

    /// Waits until the file is durable.
    consuming func finish() throws(Failure) {
        guard durability == .powerLoss else { return }
        try file.synchronize()
        // The verification must read from the disk, not from the memory that was written.
        file.evict()
    }
}

/// Opens model files that a manifest describes.
enum ModelFile {
    /// Maps a model file, verifies its checksums and checks its content.
    ///
    /// - Parameters:
    ///   - manifest: the manifest, with the checksums.
    ///   - isOwn: whether a private copy is mapped.
    static func open(_ path: String, manifest: Manifest, isOwn: Bool) throws(Failure) -> ModelVersion {
        let region = try ByteRegion.mapping(OpenFile(path, for: .reading), isOwn: isOwn)
        try verify(region, manifest: manifest, path: path)
        do {
            return try ModelVersion(region)
        } catch {
            throw Failure(.corrupt, "\(path): \(error)")
        }
    }

    private static func verify(_ region: ByteRegion, manifest: Manifest, path: String) throws(Failure) {
        let placement = try manifest.placement()
        guard region.count == placement.byteCount else {
            throw Failure(
                .corrupt, "\(path) has \(region.count) bytes, not the \(placement.byteCount) of its manifest")
        }
        var end = placement.header.count
        guard unsafe region.withBytes(0..<end, { unsafe $0.elementsEqual(placement.header) }) else {
            throw Failure(.corrupt, "the header of \(path) is not the one its manifest describes")
        }
        for (range, report) in zip(placement.ranges, manifest.sections) {
            guard unsafe region.withBytes(end..<range.lowerBound, { unsafe $0.allSatisfy { $0 == 0 } }),
                unsafe region.withBytes(range, { unsafe Checksum.text(of: $0) }) == report.checksum
            else {
                throw Failure(
                    .corrupt,
                    "section \"\(report.name)\" of \(path) differs from its checksum: publish the version again")
            }
            end = range.upperBound
        }
    }
}
