public import Tape

/// Where a daemon records requests with their answers, and how.
public struct TapeSettings: Sendable {
    /// The folder of the tape.
    public var folder: String
    /// What each file says of the daemon.
    public var header: TapeHeader
    /// How much is kept.
    public var limits: TapeWriter.Limits
    /// Names for members; nil to leave their ids as they are.
    public var pseudonyms: Pseudonyms?

    /// - Parameters:
    ///   - release: the release of the program.
    ///   - settings: a fingerprint of the daemon's settings.
    public init(
        folder: String, release: String, settings: String, limits: TapeWriter.Limits = TapeWriter.Limits(),
        pseudonyms: Pseudonyms? = nil
    ) {
        self.folder = folder
        header = TapeHeader(
            release: release, settings: settings, memberNames: pseudonyms == nil ? .ids : .pseudonyms)
        self.limits = limits
        self.pseudonyms = pseudonyms
    }
}
