extension Endpoint {
    /// All that the service answers.
    static let table =
        health + documents + groups + members + interactions + photos + administration + hiding + curation
}
