import Basics
import Model

/// The text of manifests, the same in every store: JSON whose first field is the checksum of the rest.
enum ManifestJSON {
    /// The greatest length of a manifest, in bytes.
    static let maximumByteCount = 16 << 20

    /// The text before the checksum.
    ///
    /// The checksum covers the text without this opening, the digits and the closing.
    private static let opening = Array("{\n  \"checksum\" : \"".utf8)
    private static let closing = Array("\",\n".utf8)
    private static let checksumByteCount = 16
    /// The length of the beginning that has the checksum, in bytes.
    static let markByteCount = opening.count + checksumByteCount

    /// Returns a manifest as JSON, with sorted keys and one value a line.
    static func encode(_ manifest: Manifest) throws(Failure) -> [UInt8] {
        try encode(manifest, as: "the manifest of \(manifest.version)")
    }

    /// Returns the state of a site as JSON, in the form of manifests.
    static func encode(_ site: PublishedSite) throws(Failure) -> [UInt8] {
        try encode(site, as: "the state of the site", with: site.unknown)
    }

    private static func encode(_ value: some Encodable, as name: String, with unknown: [String: JSON] = [:])
        throws(Failure) -> [UInt8]
    {
        do {
            var plain = try JSON.encoded(value, isIndented: true)
            if !unknown.isEmpty, let known = JSON(plain)?.members {
                let more = unknown.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
                plain = JSON.object(known + more).written(isIndented: true) + [UInt8(ascii: "\n")]
            }
            return opening + Array(Checksum.text(of: plain).utf8) + closing + plain.dropFirst(2)
        } catch {
            // Encoding these types fails only for infinity and NaN, which JSON does not have.
            throw Failure(.fileFailed, "\(name) cannot be written as JSON: \(SystemWords.sentence(error))")
        }
    }

    /// Decodes the state of a site and verifies its checksum.
    static func decodeSite(_ bytes: [UInt8], origin: String) throws(Failure) -> PublishedSite {
        guard hasItsChecksum(bytes), var site = try? JSON.decoded(PublishedSite.self, from: bytes),
            let members = JSON(bytes)?.members
        else {
            throw Failure(
                .corrupt, "\(origin), the state of the site, is damaged: \"coterie apply\" makes it anew")
        }
        let known = ["checksum"] + PublishedSite.CodingKeys.allCases.map(\.rawValue)
        for (name, value) in members where !known.contains(name) { site.unknown[name] = value }
        return site
    }

    /// Decodes a manifest and verifies its checksum and its version's name.
    ///
    /// - Parameter origin: the place of the text, for errors.
    static func decode(_ bytes: [UInt8], version: VersionName, origin: String) throws(Failure) -> Manifest {
        guard bytes.count <= maximumByteCount else {
            throw Failure(.corrupt, "\(origin) has \(bytes.count) bytes: that is no manifest")
        }
        let manifest: Manifest
        do {
            manifest = try JSON.decoded(Manifest.self, from: bytes)
        } catch {
            throw Failure(.corrupt, "\(origin) is no manifest of a version: \(SystemWords.sentence(error))")
        }
        guard hasItsChecksum(bytes) else {
            throw Failure(.corrupt, "\(origin) is damaged: it does not have its checksum; recompute")
        }
        guard manifest.version == version else {
            throw Failure(.corrupt, "\(origin) describes the version \(manifest.version), not \(version)")
        }
        return manifest
    }

    private static func hasItsChecksum(_ bytes: [UInt8]) -> Bool {
        let start = opening.count + checksumByteCount
        guard bytes.starts(with: opening), bytes.dropFirst(start).starts(with: closing) else { return false }
        let plain = Array("{\n".utf8) + bytes.dropFirst(start + closing.count)
        return bytes[opening.count..<start].elementsEqual(Checksum.text(of: plain).utf8)
    }
}

extension Manifest {
    /// The greatest length of a section, in bytes: sums of lengths cannot overflow.
    static let maximumSectionByteCount = 1 << 48

    /// Returns the places of the sections in the model file.
    ///
    /// - Throws: `Failure.otherFormat` if another program's layout is described, `.corrupt` if a section is unknown,
    ///   repeated or too long, or if there are too many.
    func placement() throws(Failure) -> SectionPlacement {
        if let other = OtherFormat(.version, at: version.description, found: format, own: ModelLayout.format) {
            throw Failure(.otherFormat, other.message)
        }
        guard sections.count <= ModelLayout.maximumSections else {
            throw Failure(.corrupt, "the manifest of \(version) lists \(sections.count) sections")
        }
        var lengths: [(name: ModelLayout.SectionName, byteCount: Int)] = []
        for section in sections {
            guard let name = ModelLayout.SectionName(rawValue: section.name),
                !lengths.contains(where: { $0.name == name }),
                (0...Self.maximumSectionByteCount).contains(section.byteCount)
            else {
                throw Failure(
                    .corrupt,
                    "the manifest of \(version) lists a section \"\(section.name)\" of \(section.byteCount) bytes")
            }
            lengths.append((name, section.byteCount))
        }
        return SectionPlacement(lengths)
    }

    /// Returns the coding of the version's members.
    func coding(groupCount: Int) -> MemberCoding {
        MemberCoding(createdAtMilliseconds: createdAtMilliseconds, groupCount: groupCount)
    }

    /// Returns the manifest with the lengths and checksums of a model's sections.
    func describing(_ model: EncodedModel) -> Manifest {
        var manifest = self
        manifest.sections = model.sections.map { section in
            SectionReport(
                name: section.name.rawValue, byteCount: section.bytes.count, checksum: Checksum.text(of: section.bytes))
        }
        return manifest
    }
}
