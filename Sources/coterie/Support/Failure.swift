import Backup
import CatalogStore
import CommandLineOptions
import Configuration
import Evaluation
import HTTPClient
import Model
import ModelStore
import Recompute
import Tape
import Tokens
import YAML

/// Why a command failed: an exit code and a sentence for a person.
struct Failure: Error, CustomStringConvertible {
    let exitCode: Int32
    let message: String
    var description: String { message }

    /// Exit codes: 1 and those of sysexits.h.
    static let general: Int32 = 1
    static let badData: Int32 = 65
    static let tryLater: Int32 = 75

    init(_ exitCode: Int32, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }

    init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as UsageError: self.init(UsageError.exitCode, error.description)
        case let error as CatalogError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as BackupError: self.init(error)
        case let error as ModelError: self.init(Self.badData, error.description)
        case RecomputeError.catalog(let error): self.init(error)
        case RecomputeError.store(let error): self.init(error)
        case RecomputeError.tooLittleMemory, RecomputeError.abandoned: self.init(Self.tryLater, "\(error)")
        case let error as RecomputeError: self.init(Self.badData, error.description)
        case let error as EvaluationError: self.init(Self.badData, error.description)
        case let error as ConfigurationError: self.init(Self.badData, error.description)
        case let error as YAMLError: self.init(Self.badData, error.description)
        case let error as TapeError: self.init(error)
        case let error as HTTPClientError:
            self.init(error.code == .badAddress ? UsageError.exitCode : Self.tryLater, error.message)
        case let error as TokenError:
            self.init(error.code == .keyFileFailed ? Self.general : Self.badData, error.message)
        default: self.init(Self.general, "\(error)")
        }
    }

    init(_ error: CatalogError) {
        switch error.code {
        case .busy: self.init(Self.tryLater, error.message)
        case .missing, .notACatalog, .badData: self.init(Self.badData, error.message)
        case .fileFailed, .databaseFailed: self.init(Self.general, error.message)
        }
    }

    init(_ error: StoreError) {
        switch error.code {
        case .busy, .unavailable: self.init(Self.tryLater, error.message)
        case .badLocation: self.init(UsageError.exitCode, error.message)
        case .unknownVersion, .corrupt, .otherFormat: self.init(Self.badData, error.message)
        default: self.init(Self.general, error.message)
        }
    }

    init(_ error: TapeError) {
        switch error.code {
        case .busy: self.init(Self.tryLater, error.message)
        case .missing, .notATape, .badKey: self.init(Self.badData, error.message)
        case .fileFailed: self.init(Self.general, error.message)
        }
    }

    init(_ error: BackupError) {
        switch error.code {
        case .occupied: self.init(Self.tryLater, error.message)
        case .damaged, .newer: self.init(Self.badData, error.message)
        case .fileFailed: self.init(Self.general, error.message)
        case .catalog(let code): self.init(CatalogError(code, error.message))
        case .store(let code): self.init(StoreError(code, error.message))
        }
    }
}
