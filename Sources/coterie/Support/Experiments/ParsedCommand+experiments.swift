import CommandLineOptions
import Experiments
import FoundationEssentials
import ModelStore
import YAML

extension ParsedCommand {
    static var nowMilliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// The file of experiments that was asked for.
    func experimentsFile() throws(YAMLError) -> ExperimentsFile {
        try ExperimentsFile(path: text("experiments"), relations: Coterie.relations)
    }

    /// The file of experiments, if there is one.
    func experimentsFileIfPresent() throws(YAMLError) -> ExperimentsFile? {
        FileManager.default.fileExists(atPath: text("experiments")) ? try experimentsFile() : nil
    }

    /// The experiments of the store.
    func experiments() throws -> ExperimentRegister {
        let store = try openStore()
        return try Self.register(try store.experiments(), in: store)
    }

    /// Changes the experiments of the store.
    ///
    /// - Parameter change: gets them and the time in Unix milliseconds, and gives why they cannot be changed, or nil.
    func changeExperiments(_ change: (inout ExperimentRegister, Int64) -> String?) throws {
        let store = try openStore()
        // Another may change them between reading and writing.
        for _ in 0..<10 {
            let known = try store.experiments()
            var register = try Self.register(known, in: store)
            if let problem = change(&register, Self.nowMilliseconds) { throw Failure(Failure.badData, problem) }
            if try store.setExperiments(register.encoded, replacing: known) { return }
        }
        throw Failure(Failure.tryLater, "others change the experiments of \(store.location) all the time: try again")
    }

    private static func register(_ text: [UInt8]?, in store: any VersionStore) throws(Failure) -> ExperimentRegister {
        guard let register = ExperimentRegister(encoded: text) else {
            throw Failure(
                Failure.badData, "the experiments of \(store.location) are damaged, or of a newer program")
        }
        return register
    }
}
