package import Basics
import Looks

/// The numbers in a binary file: rows of one length, as NumPy or the fvecs format write them.
struct VectorArrays {
    /// The forms of a file.
    enum Form: Equatable {
        /// NumPy's format, with numbers of 2, 4 or 8 bytes.
        case numpy(rows: Int, dimension: Int, bytesOfNumber: Int)
        /// Each row has its dimension (Int32) before its numbers (Float32).
        case fvecs
    }

    private var form: Form
    private let input: InputFile
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    private var rowsRead = 0

    /// A file of vectors: arrays, or text that is still to be read from its beginning.
    enum Opened {
        case arrays(VectorArrays)
        case text(InputFile)
    }

    /// Reads the beginning of a file; fvecs is known by its name.
    static func opened(_ input: InputFile) throws(Failure) -> Opened {
        var file = VectorArrays(input)
        if try file.has(10), file.buffer.starts(with: [0x93] + "NUMPY".utf8) {
            try file.readHeader()
            return .arrays(file)
        }
        if input.name.hasSuffix(".fvecs") || input.name.hasSuffix(".fvecs.gz") { return .arrays(file) }
        // A pipe can be read only once.
        input.putBack(file.buffer)
        return .text(input)
    }

    private init(_ input: InputFile) {
        self.input = input
        form = .fvecs
    }

    /// Reads the header of a NumPy file: a Python dictionary such as
    /// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }`.
    private mutating func readHeader() throws(Failure) {
        let isLong = buffer[6] >= 2
        let start = isLong ? 12 : 10
        guard try has(start) else { throw damage("it ends in its header") }
        let count = (0..<(isLong ? 4 : 2)).reduce(0) { $0 | Int(buffer[8 + $1]) << (8 * $1) }
        guard count <= 1 << 16 else { throw damage("its header has \(count) bytes") }
        guard try has(start + count) else { throw damage("it ends in its header") }
        let text = String(decoding: buffer[start..<start + count], as: UTF8.self)
        position = start + count
        let words = text.split { !($0.isLetter || $0.isNumber || "<>|=_".contains($0)) }.map(String.init)
        func value(of key: String) -> ArraySlice<String> {
            words.firstIndex(of: key).map { words[($0 + 1)...] } ?? []
        }
        let sizes = ["<f2": 2, "<f4": 4, "<f8": 8]
        guard let type = value(of: "descr").first, let size = sizes[type] else {
            throw damage(
                "its numbers are \(value(of: "descr").first ?? "unknown"), not float16 or float32 (<f2, <f4)")
        }
        guard value(of: "fortran_order").first == "False" else {
            throw damage("it is stored column after column: write numpy.ascontiguousarray(vectors)")
        }
        let shape = value(of: "shape").prefix { Int($0) != nil }.compactMap { Int($0) }
        guard shape.count == 2, shape[1] > 0 else {
            throw damage("its shape is (\(shape.map(String.init).joined(separator: ", "))), not rows × dimension")
        }
        form = .numpy(rows: shape[0], dimension: shape[1], bytesOfNumber: size)
    }

    private func damage(_ reason: String) -> Failure {
        Failure(.badData, "cannot read vectors from \(input.name): \(reason)")
    }

    /// The number of stored bytes that were read.
    var bytesRead: Int { input.bytesRead }

    /// Returns the numbers of the next row, or `nil` at the end.
    mutating func next() throws(Failure) -> [Float]? {
        switch form {
        case .numpy(let rows, let dimension, let size):
            guard rowsRead < rows else {
                guard try !has(1) else { throw damage("bytes follow its \(rows) rows") }
                return nil
            }
            guard try has(dimension * size) else { throw damage("it ends in row \(rowsRead + 1) of \(rows)") }
            rowsRead += 1
            return take(dimension, size)
        case .fvecs:
            guard try has(1) else { return nil }
            guard try has(4) else { throw damage("it ends in row \(rowsRead + 1)") }
            let dimension = (0..<4).reduce(0) { $0 | Int(buffer[position + $1]) << (8 * $1) }
            guard VectorLimits.dimensions.contains(dimension) else {
                throw damage("row \(rowsRead + 1) has \(dimension) numbers, or the file is none of fvecs")
            }
            position += 4
            guard try has(dimension * 4) else { throw damage("it ends in row \(rowsRead + 1)") }
            rowsRead += 1
            return take(dimension, 4)
        }
    }

    private mutating func take(_ count: Int, _ size: Int) -> [Float] {
        defer { position += count * size }
        return unsafe buffer.withUnsafeBytes { bytes in
            func bits<Bits: FixedWidthInteger & BitwiseCopyable>(_ index: Int, _ type: Bits.Type) -> Bits {
                unsafe Bits(littleEndian: bytes.loadUnaligned(fromByteOffset: position + index * size, as: type))
            }
            return switch size {
            case 2: (0..<count).map { HalfFloat.number(bits($0, UInt16.self)) }
            case 4: (0..<count).map { Float(bitPattern: bits($0, UInt32.self)) }
            default: (0..<count).map { Float(Double(bitPattern: bits($0, UInt64.self))) }
            }
        }
    }

    /// Whether there are some more bytes, which are then in the buffer.
    private mutating func has(_ count: Int) throws(Failure) -> Bool {
        if buffer.count - position >= count { return true }
        buffer.removeFirst(position)
        position = 0
        var chunk = [UInt8](repeating: 0, count: max(1 << 18, count))
        while buffer.count < count, !isAtEnd {
            let read = try input.read(into: &chunk)
            buffer += chunk.prefix(read)
            isAtEnd = read == 0
        }
        return buffer.count >= count
    }
}

/// Numbers of 16 bits, as graphics processors write them.
enum HalfFloat {
    /// Returns a number: a sign, five bits of exponent and ten of fraction.
    static func number(_ bits: UInt16) -> Float {
        let (exponent, fraction) = (Int(bits >> 10 & 31), Float(bits & 1023))
        let magnitude: Float =
            switch exponent {
            case 31: fraction == 0 ? .infinity : .nan
            case 0: fraction * 0x1p-24
            default: Float(sign: .plus, exponent: exponent - 15, significand: 1 + fraction / 1024)
            }
        return bits >> 15 == 0 ? magnitude : -magnitude
    }
}

/// Vectors in text.
package enum VectorText {
    /// Returns the numbers of a text such as `[0.5, -1e-3, 2]`.
    package static func numbers(in text: String) throws(Failure) -> [Float] {
        do throws(RecordProblem) { return try numbers(text.utf8Span.span) } catch {
            throw Failure(.badData, error.reason)
        }
    }

    /// Returns the numbers of a text such as `0.5 -1e-3 2`, with blanks, commas or semicolons between them.
    ///
    /// Brackets around them are passed over.
    ///
    /// - Throws: `RecordProblem` if a word is no number.
    static func numbers(_ bytes: Span<UInt8>) throws(RecordProblem) -> [Float] {
        var (numbers, word) = ([Float](), [UInt8]())
        for index in 0...bytes.count {
            let byte = index < bytes.count ? bytes[index] : UInt8(ascii: " ")
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "["), UInt8(ascii: "]"):
                guard !word.isEmpty else { continue }
                let text = String(decoding: word, as: UTF8.self)
                guard let number = Float(text) else {
                    throw RecordProblem(reason: "\"\(text.prefix(40))\" is no number")
                }
                numbers.append(number)
                word.removeAll(keepingCapacity: true)
            default: word.append(byte)
            }
        }
        return numbers
    }
}
