import FoundationEssentials

extension ExperimentRegister {
    /// The register as JSON, as stores keep it.
    public var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { preconditionFailure("a register has finite numbers only") }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    /// Reads what `encoded` gave; nil if it is something else, or of another program.
    ///
    /// - Parameter text: nil for a register without experiments.
    public init?(encoded text: [UInt8]?) {
        guard let text else {
            self.init()
            return
        }
        guard let register = try? JSONDecoder().decode(ExperimentRegister.self, from: Data(text)) else { return nil }
        self = register
    }
}
