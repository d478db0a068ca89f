import FoundationEssentials
import Glibc

/// Describes errors of the system and of Foundation in sentences.
///
/// Foundation's own descriptions are for programmers, with codes and dictionaries. Every message for people uses these
/// sentences instead.
package enum SystemWords {
    package static func words(ofError number: Int32) -> String {
        if number == ENOSPC || number == EDQUOT { return "the disk is full" }
        return unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }

    /// The description of the last error of the system.
    package static var lastError: String { words(ofError: errno) }

    /// Returns a description of an error: the system's cause if there is one, after the path.
    package static func sentence(_ error: any Error) -> String {
        switch error {
        case let error as CocoaError: sentence(error)
        case let error as POSIXError: words(ofError: error.code.rawValue)
        case let error as DecodingError: sentence(error)
        case let error as EncodingError: sentence(error)
        default: "\(error)"
        }
    }

    private static func sentence(_ error: CocoaError) -> String {
        let path = unsafe (error.userInfo["NSFilePath"] as? String) ?? (error.userInfo["NSURL"] as? URL)?.path
        let cause = unsafe error.userInfo["NSUnderlyingError"] as? any Error
        let words =
            if let cause = cause as? POSIXError { words(ofError: cause.code.rawValue) } else { words(of: error.code) }
        return path.map { "\($0): \(words)" } ?? words
    }

    private static func words(of code: CocoaError.Code) -> String {
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "there is no such file or folder"
        case .fileReadNoPermission, .fileWriteNoPermission: "this user has no permission"
        case .fileWriteOutOfSpace: "the disk is full"
        case .fileWriteVolumeReadOnly: "the disk can only be read"
        case .fileWriteFileExists: "something stands there already"
        case .fileReadTooLarge: "the file is too large"
        case .fileReadCorruptFile: "the file is damaged"
        case .fileReadInapplicableStringEncoding, .fileReadUnknownStringEncoding: "the file is not UTF-8 text"
        default: "the system refuses it"
        }
    }

    private static func sentence(_ error: DecodingError) -> String {
        let (path, words) = error.complaint
        if path.isEmpty, case .dataCorrupted = error { return "it is not JSON" }
        return "\"\(place(of: path))\" \(words)"
    }

    private static func sentence(_ error: EncodingError) -> String {
        guard case .invalidValue(_, let context) = error else { return "a value has no form in JSON" }
        return "\"\(place(of: context.codingPath))\" has no form in JSON"
    }

    /// Returns the place of a value in JSON in the usual notation: `list[3].name`.
    package static func place(of path: [any CodingKey]) -> String {
        path.reduce("") { name, key in
            if let index = key.intValue { return "\(name)[\(index)]" }
            return name.isEmpty ? key.stringValue : "\(name).\(key.stringValue)"
        }
    }
}

extension DecodingError {
    /// The path to the value that cannot be decoded, and what is wrong with it.
    package var complaint: (path: [any CodingKey], words: String) {
        switch self {
        case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
        case .valueNotFound(_, let context): (context.codingPath, "is null")
        case .typeMismatch(let type, let context): (context.codingPath, "is not \(Self.name(of: type))")
        case .dataCorrupted(let context): (context.codingPath, "cannot be read")
        @unknown default: ([], "cannot be read")
        }
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Int.Type, is Int64.Type: "a whole number"
        case is [String: Any].Type: "an object"
        case is [Any].Type: "a list"
        default: "what it must be"
        }
    }
}
