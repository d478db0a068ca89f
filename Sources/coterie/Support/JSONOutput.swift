import Answers
import CommandLine
import Basics

extension Output {
    /// Writes an answer as JSON, with its fields in their order, and a line feed.
    ///
    /// - Parameter isIndented: whether each field has a line of its own.
    mutating func json(_ answer: some Answer, isIndented: Bool = true) throws(Failure) {
        let compact = answer.json
        let json = isIndented ? JSON(compact)?.written(isIndented: true) ?? compact : compact
        try write(json + [UInt8(ascii: "\n")])
    }

    /// Writes a value as indented JSON, with its keys in alphabetical order, and a line feed.
    ///
    /// It is for values that are not the answer of any route.
    mutating func json(document value: some Encodable) throws(Failure) {
        let document: [UInt8]
        do { document = try JSON.encoded(value, isIndented: true) } catch {
            throw Failure(.general, "cannot write JSON: \(SystemWords.sentence(error))")
        }
        try write(document)
    }
}
