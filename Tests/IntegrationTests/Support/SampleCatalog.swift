import Foundation
import Testing

/// The catalog of the sample community, as the program imports it.
actor SampleCatalog {
    static let shared = SampleCatalog()

    private var importing: Task<Data, any Error>?

    /// The bytes of the file.
    func content() async throws -> Data {
        if let importing { return try await importing.value }
        let task = Task {
            let workspace = try Workspace()
            for kind in SampleCommunity.kinds { try await workspace.succeed("import", kind, Checkout.sample(kind)) }
            return try Data(contentsOf: URL(fileURLWithPath: workspace.catalog))
        }
        importing = task
        return try await task.value
    }
}
