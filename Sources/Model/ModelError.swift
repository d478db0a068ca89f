/// Why bytes are not a model version that can be used.
public enum ModelError: Error, Equatable, CustomStringConvertible {
    /// A version name with characters that are not allowed, or too long.
    case badVersionName(String)
    /// The file does not begin as a model file does.
    case notAModel
    /// Written by a program that uses another format.
    case unknownFormat(UInt32)
    /// The bytes end too early, or a section lies outside them.
    case truncated(String)
    /// A section that must be there is not.
    case missingSection(String)
    /// A section's content contradicts itself.
    case corrupt(section: String, reason: String)
    /// More groups, or longer texts, than the format can hold.
    case tooLarge(String)

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .badVersionName(let name):
            "\"\(name)\" is not a version name: use 1 to 64 letters, digits and hyphens"
        case .notAModel: "this is not a model file"
        case .unknownFormat(let number): "model format \(number) is not known to this program: recompute, or upgrade it"
        case .truncated(let what): "the model is cut short: \(what)"
        case .missingSection(let name): "the model has no section \"\(name)\""
        case .corrupt(let section, let reason): "section \"\(section)\" of the model is corrupt: \(reason)"
        case .tooLarge(let what): "the model is too large: \(what)"
        }
    }
}
