import Model

/// A group's neighbours in one relation as a compact value, without loss.
///
/// Three numbers a neighbour, best first, each as a `Varint`: the neighbour's index; the common entries; and by how
/// much the bit pattern of its score (Float32) is smaller than the one before, the first one's than that of infinity,
/// 0x7F800000. As scores descend, so do their bit patterns, and the differences are small. About 7.5 bytes a neighbour
/// in lists of 100, where fixed records have 12.
enum NeighbourListCoding {
    /// What the first score's bit pattern is subtracted from: that of infinity, above all scores.
    static let firstCeiling = Float.infinity.bitPattern

    /// Appends a neighbour.
    ///
    /// - Parameter ceiling: the bit pattern of the score before; becomes that of this one.
    /// - Returns: false if the score does not descend.
    @inline(__always)
    static func append(_ neighbour: Neighbour, ceiling: inout UInt32, to bytes: inout [UInt8]) -> Bool {
        let pattern = neighbour.score.bitPattern
        guard pattern <= ceiling else { return false }
        Varint.append(neighbour.index, to: &bytes)
        Varint.append(neighbour.common, to: &bytes)
        Varint.append(ceiling - pattern, to: &bytes)
        ceiling = pattern
        return true
    }

    /// Appends the neighbours of a value to a list.
    ///
    /// - Returns: false if the bytes are not such a value; what was appended until then is of no use.
    static func decode(_ bytes: borrowing Span<UInt8>, appendingTo neighbours: inout [Neighbour]) -> Bool {
        var place = 0
        var ceiling = firstCeiling
        while place < bytes.count {
            guard let index = Varint.read(bytes, at: &place), let common = Varint.read(bytes, at: &place),
                let drop = Varint.read(bytes, at: &place), drop <= ceiling
            else { return false }
            ceiling -= drop
            neighbours.append(Neighbour(index: index, common: common, score: Float(bitPattern: ceiling)))
        }
        return true
    }
}
