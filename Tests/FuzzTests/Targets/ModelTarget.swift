import Model
import TestSupport

/// Opening of a model file: an error, or a model all of whose reads work.
struct ModelTarget: FuzzTarget {
    func seeds() throws -> [[UInt8]] {
        try [0, 2, 7].map { try SampleModel.model(groupCount: $0, limit: 3).fileBytes }
    }

    func take(_ bytes: [UInt8]) throws {
        guard let model = try? ModelVersion(ByteRegion(copying: bytes)) else { return }
        if let flaw = ModelReading.flaw(in: model) { throw Violation(description: flaw) }
    }
}
