extension RecordReader {
    /// The bytes of the current or just rejected record as its source writes them, without the line feed at the end; of
    /// a record of which only the first line was given up, that line.
    ///
    /// A record with doubled quotes may be quoted in another way, with the same meaning. Nil if the record is longer
    /// than one may be: then its end was not kept.
    public var rawRecord: [UInt8]? {
        guard !isRecordCut else { return nil }
        if !hasJoinedQuotes { return Array(input.bytes[recordRange]) }
        var record: [UInt8] = []
        for (place, field) in bounds.enumerated() {
            if place > 0 { record.append(delimiter.byte) }
            record.append(Byte.quote)
            for byte in input.bytes[field.start..<field.end] {
                record.append(byte)
                if byte == Byte.quote { record.append(byte) }
            }
            record.append(Byte.quote)
        }
        return record
    }
}
