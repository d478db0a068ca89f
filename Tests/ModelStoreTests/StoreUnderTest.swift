import Basics
import Foundation
import Model
import ModelStore
import Redis
import Synchronization
import Testing
import TestSupport

/// An empty store of some kind, and ways to damage it directly.
final class StoreUnderTest: Sendable {
    /// The stores that the conformance suite runs on.
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case folder, redis
        var testDescription: String { rawValue }

        /// Those whose servers are installed; `RedisStoreTests` says so where one is not.
        static var available: [Kind] { TemporaryRedis.isInstalled ? allCases : [.folder] }
    }

    let store: any VersionStore
    let directory: TemporaryDirectory
    let server: TemporaryRedis?

    init(_ kind: Kind) throws {
        directory = try TemporaryDirectory()
        switch kind {
        case .folder:
            server = nil
            store = FolderStore(directory.path + "/store")
        case .redis:
            let server = try TemporaryRedis()
            self.server = server
            store = RedisStore(try RedisAddress(server.url), cacheDirectory: directory.path + "/cache")
        }
    }

    /// The store as one that several machines share.
    var shared: any SharedStore {
        get throws { try #require(store.shared) }
    }

    /// Publishes the `number`th sample version without reporting progress.
    @discardableResult
    func publish(_ number: Int, _ model: EncodedModel, members: (any MemberSource)? = nil) throws -> Manifest {
        try store.publish(
            model, manifest: SampleModel.manifest(number, groupCount: model.groupCount), members: members
        ) { _, _ in }
    }

    /// Changes one byte in the middle of a stored section.
    func damage(_ manifest: Manifest, section: ModelLayout.SectionName) throws {
        if let server { return try damage(manifest, section, on: server) }
        let url = URL(fileURLWithPath: "\(directory.path)/store/versions/\(manifest.version)/model.coterie")
        var bytes = try Data(contentsOf: url)
        let lengths = manifest.sections.compactMap { report in
            ModelLayout.SectionName(rawValue: report.name).map { (name: $0, byteCount: report.byteCount) }
        }
        let range = try #require(SectionPlacement(lengths)[section])
        bytes[range.lowerBound + range.count / 2] ^= 0x10
        // Files of versions may not be written to: the damaged one takes its place.
        try bytes.write(to: url, options: .atomic)
    }
}

extension StoreUnderTest {
    /// Changes the last byte of the first key of a section that there is.
    private func damage(_ manifest: Manifest, _ section: ModelLayout.SectionName, on server: TemporaryRedis) throws {
        var connection = try RedisConnection(to: RedisAddress(server.url))
        for number in 0..<100 {
            let key = "coterie:\(manifest.version):\(section.rawValue):\(number)"
            guard case .bytes(var bytes) = try connection.command("GET", key) else { continue }
            // The ids end with a zero byte; damage to it must be noticed too.
            bytes[bytes.count - 1] ^= 0x01
            var command = RedisCommand("SET", key)
            command.append(bytes)
            _ = try connection.command(command)
            return
        }
        Issue.record("there is no key of \(section.rawValue)")
    }
}

/// The code of the error that `body` throws; nil if it throws none.
func errorCode(_ body: () throws -> Void) -> Failure.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? Failure)?.code
    }
}

/// The model file that a loaded version was read from, byte for byte, as far as its readers can tell.
func encodedAgain(_ model: ModelVersion) throws -> EncodedModel {
    var sizes: [Relation: [UInt32]] = [:]
    var tables: [Relation: NeighbourTable] = [:]
    for relation in model.relations {
        var table = NeighbourTable(offsets: [0], neighbours: [])
        for group in 0..<model.groupCount {
            table.neighbours += model.neighbours(of: group, by: relation)
            table.offsets.append(table.neighbours.count)
        }
        tables[relation] = table
        sizes[relation] = (0..<model.groupCount).map { model.size(of: $0, in: relation) }
    }
    return try EncodedModel(
        groups: (0..<model.groupCount).map(model.facts(of:)), relations: model.relations, sizes: sizes, tables: tables,
        signals: signals(of: model))
}

private func signals(of model: ModelVersion) -> GroupSignals {
    var signals = GroupSignals(trending: model.trending, curated: model.curated)
    if model.hasSeasons {
        signals.seasons = (0..<model.groupCount).map { group in
            SeasonalFactors(
                percent: (0..<12).map { UInt8((model.seasonalFactor(of: group, month: $0) * 100).rounded()) })
        }
    }
    for tag in model.tags { signals.tags[tag] = model.groups(withTag: tag) }
    for cell in model.places { signals.places[cell] = model.groups(at: cell) }
    return signals
}

/// Collects what callbacks are given.
final class Recorder<Value: Sendable>: Sendable {
    private let recorded = Mutex<[Value]>([])

    /// What was recorded, in order.
    var values: [Value] { recorded.withLock { $0 } }

    /// Records a value.
    func append(_ value: Value) { recorded.withLock { $0.append(value) } }
}
