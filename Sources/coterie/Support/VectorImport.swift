import CatalogStore
import CommandLine

/// The parts of `coterie import vectors` that other kinds do not have.
enum VectorImport {
    static let name = VectorImporter.kindName
    /// The columns of a text file.
    static let columnNames = VectorImporter.columnNames

    /// The paragraph about vectors in the help of `import`.
    static let help = """
        vectors: \(columnNames.joined(separator: ", ")); a vector is numbers with blanks or commas between them, or \
        an array in JSON Lines. Vectors may also be a NumPy file (.npy) of float16, float32 or float64, rows × \
        dimension, or .fvecs; --ids then names a file with the id of the photo of each row, one a line. A catalog has \
        vectors of one model and one dimension. Vectors that are zero, or have NaN or infinity, are rejected
        """

    static let options = [
        Option(
            "ids", "FILE", help: "A file with the photos' ids, one a line, for vectors in .npy or .fvecs",
            isRepeating: true),
        Option("model-name", "NAME", help: "The name of the model that made the vectors, such as clip-vit-b32"),
    ]

    /// Returns the files to import, each with its file of ids.
    static func sources(_ parsed: ParsedCommand) throws(UsageError) -> [VectorImporter.Source] {
        for option in ["readmit", "allow-renames"] where parsed.flag(option) {
            throw UsageError("--\(option) means nothing for vectors")
        }
        let files = Array(parsed.arguments.dropFirst())
        let ids = parsed.texts("ids")
        guard ids.isEmpty || ids.count == files.count else {
            throw UsageError(
                "there are \(files.count) files of vectors and \(ids.count) of ids",
                advice: ["give --ids once for each file, in the same order; leave it out for text"])
        }
        if let model = parsed.textIfGiven("model-name"), !(1...64).contains(model.utf8.count) {
            throw parsed.badValue(model, of: "model-name", expected: "1 to 64 bytes")
        }
        return files.enumerated().map { index, path in
            VectorImporter.Source(path: path, idsPath: ids.isEmpty ? nil : ids[index])
        }
    }
}
