/// Writing the sections of a model file.
enum ModelEncoding {
    static func append<Integer: FixedWidthInteger>(_ value: Integer, to bytes: inout [UInt8]) {
        var value = value.littleEndian
        unsafe withUnsafeBytes(of: &value) { unsafe bytes.append(contentsOf: $0) }
    }

    static func texts(_ texts: [String], section: ModelLayout.SectionName) throws(ModelError) -> [UInt8] {
        var bytes: [UInt8] = []
        var offset = 0
        bytes.reserveCapacity(texts.count * 16)
        append(UInt32(0), to: &bytes)
        for text in texts {
            offset += text.utf8.count
            guard offset <= Int(UInt32.max) else { throw .tooLarge("\(section.rawValue) of more than 4 GiB") }
            append(UInt32(offset), to: &bytes)
        }
        for text in texts { bytes.append(contentsOf: text.utf8) }
        return bytes
    }

    static func facts(_ groups: [GroupFacts]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(groups.count * ModelLayout.factsByteCount)
        for group in groups {
            append(group.createdAt ?? .min, to: &bytes)
            append(group.lastActiveAt ?? .min, to: &bytes)
            append(UInt64(group.joinPolicy.rawValue), to: &bytes)
        }
        return bytes
    }

    /// n(i): group after group, of each one a relation.
    static func sizes(_ columns: [[UInt32]], groupCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(columns.count * groupCount * 4)
        for group in 0..<groupCount {
            for column in columns { append(column[group], to: &bytes) }
        }
        return bytes
    }

    static func table(_ table: NeighbourTable) -> [UInt8] {
        // Arrays of these types have the file's layout in memory; millions of appends would dominate publishing.
        let offsets = table.offsets.map { UInt64($0).littleEndian }
        let byteCount = offsets.count * 8 + table.neighbours.count * Neighbour.byteCount
        return unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            unsafe offsets.withUnsafeBytes { unsafe raw.copyMemory(from: $0) }
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: raw[(offsets.count * 8)...])
            unsafe table.neighbours.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
            initializedCount = byteCount
        }
    }
}
