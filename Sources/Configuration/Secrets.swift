/// Secrets do not belong into configuration files, which are copied, compared and kept in version control.
public enum Secrets {
    /// Why a text may not stand in a file; nil if it may.
    static func reason(against text: String) -> String? {
        guard let scheme = text.firstRange(of: "://"), let at = text.lastIndex(of: "@"), scheme.upperBound <= at,
            text[scheme.upperBound..<at].contains(":")
        else { return nil }
        return """
            has a password in it: put it into a file that only its owner can read, and name that file in \
            store.passwordFile
            """
    }

    /// A text without the login in an address.
    public static func hidden(in text: String) -> String {
        guard let scheme = text.firstRange(of: "://"), let at = text.lastIndex(of: "@"), scheme.upperBound <= at else {
            return text
        }
        return "\(text[..<scheme.upperBound])…\(text[at...])"
    }
}
