// swift-tools-version: 6.2
import PackageDescription

// Modules lie in layers and imports go down only: pure modules (matrices, similarity, model,
// recommendation, record reading) never import one that does I/O.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let optimized = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A module that computes: optimized in debug builds too, or its tests would take twice as long.
func computing(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: optimized)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// What the fuzz targets use.
let fuzzed: [Target.Dependency] = [
    "Answers", "CatalogStore", "Compression", "HTTP", "Model", "ModelStore", "RecordReading", "Recommendation", "Redis",
    "Service", "Tape", "TestSupport", "Tokens", "YAML",
]

/// The fuzz targets: tests as a rule; a program of its own if `Jobs/fuzz` names the library of libFuzzer.
let fuzzing: [Target] =
    if let library = Context.environment["COTERIE_FUZZER"] {
        [
            .systemLibrary(name: "CFuzzer", path: "Tests/FuzzTests/CFuzzer"),
            .executableTarget(
                name: "coterie-fuzz", dependencies: fuzzed + ["CFuzzer"], path: "Tests/FuzzTests",
                exclude: ["CFuzzer", "Corpus", "CorpusTests.swift"], swiftSettings: strict,
                linkerSettings: [.unsafeFlags([library]), .linkedLibrary("stdc++")]),
        ]
    } else {
        [tests("FuzzTests", fuzzed, exclude: ["CFuzzer", "Corpus", "Fuzzer"])]
    }

let package = Package(
    name: "coterie",
    products: [
        .executable(name: "coterie", targets: ["coterie"]),
        .executable(name: "coterie-bench", targets: ["coterie-bench"]),
    ],
    targets: [
        // C libraries from the system.
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CXXHash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "CLibJWT", providers: [.apt(["libjwt-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        // Pure.
        module("CivilTime"),
        computing("SparseMatrix"),
        .target(name: "CSimilarity", cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]),
        .target(
            name: "Similarity", dependencies: ["SparseMatrix", "Model", "CSimilarity"], swiftSettings: optimized,
            linkerSettings: [.linkedLibrary("m")]),
        // A header without a library: an instruction that Swift has no name for.
        .systemLibrary(name: "CPrefetch"),
        computing("Model", ["CPrefetch"]),
        computing("Recommendation", ["CivilTime", "Model"]),
        // Which of two ways to make lists is better: assignment, and the statistics of the answer.
        computing("Experiments", ["Model", "Recommendation"]),
        // How alike two texts are, for suggestions in error messages.
        module("TextDistance"),
        computing("RecordReading", ["TextDistance"]),
        // The shapes of answers, over HTTP and on the command line.
        module("Answers", ["CivilTime", "Model", "Recommendation"]),
        .target(
            name: "SyntheticCommunity", dependencies: ["CivilTime"],
            resources: [.embedInCode("Vocabulary/vocabulary.json")], swiftSettings: strict),
        module("CommandLineOptions", ["TextDistance"]),
        module("SimilarityOptions", ["CommandLineOptions", "Similarity"]),

        // Linux calls that Swift's module for glibc lacks.
        .systemLibrary(name: "CEpoll"),

        // Thin wrappers over the C libraries, and HTTP over sockets.
        module("SQLite", ["CSQLite"]),
        module("Redis", ["CHiredis"]),
        module("HTTP", ["CEpoll"]),
        module("HTTPClient", ["CCurl"]),
        module("Tokens", ["CLibJWT"]),
        module("Compression", ["CZlib"]),
        module("YAML", ["CYAML"]),

        module("Configuration", ["CommandLineOptions", "TextDistance", "YAML"]),

        // Requests and answers that were recorded.
        module("Tape", ["Answers", "CCrypto", "Compression"]),
        module("Replay", ["Tape", "TextDistance", "YAML"]),

        // The system.
        computing(
            "CatalogStore",
            [
                "SQLite", "CXXHash", "CZlib", "SparseMatrix", "CivilTime", "Compression", "RecordReading",
                "Model",
            ]),
        computing("ModelStore", ["Redis", "Model", "CXXHash", "CZlib"]),
        .systemLibrary(name: "CMalloc"),
        computing(
            "Recompute",
            [
                "CMalloc", "CatalogStore", "CivilTime", "SparseMatrix", "Similarity", "Recommendation",
                "Model", "ModelStore",
            ]),
        computing("MemberData", ["CatalogStore", "Model", "ModelStore", "Recommendation"]),
        computing(
            "Evaluation",
            ["Experiments", "Recommendation", "MemberData", "Model", "CatalogStore", "Similarity", "SparseMatrix"]),
        module(
            "Service",
            [
                "Answers", "HTTP", "Tokens", "Compression", "Experiments", "Recommendation", "Model", "ModelStore",
                "CatalogStore", "CivilTime", "MemberData",
                "SQLite", "Tape",
            ]),
        module("Checkup", ["CatalogStore", "CivilTime", "Model", "ModelStore", "Service"]),
        module("Backup", ["CatalogStore", "Model", "ModelStore", "SQLite"]),
        .executableTarget(
            name: "coterie",
            dependencies: [
                "Answers", "Backup", "CatalogStore", "Checkup", "CivilTime", "CommandLineOptions", "Configuration",
                "Evaluation", "Experiments", "MemberData", "Model", "ModelStore", "Recommendation",
                "Recompute", "Replay",
                "HTTP", "HTTPClient", "Service", "Similarity", "SimilarityOptions", "SyntheticCommunity",
                "RecordReading", "Tape", "TextDistance", "Tokens", "YAML",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "coterie-bench",
            dependencies: [
                "CatalogStore", "CommandLineOptions", "Experiments", "Model", "ModelStore", "Recommendation",
                "Recompute", "Redis",
                "Similarity", "SimilarityOptions", "SparseMatrix", "SQLite", "Tokens",
            ],
            swiftSettings: strict),

        // Tests: one target a module, and the integration tests.
        .target(
            name: "TestSupport", dependencies: ["HTTP", "SparseMatrix", "Similarity", "Model"],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        tests("CivilTimeTests", ["CivilTime", "TestSupport"]),
        tests("SparseMatrixTests", ["SparseMatrix", "TestSupport"]),
        tests("SimilarityTests", ["Similarity", "Model", "SparseMatrix", "TestSupport"]),
        tests("ModelTests", ["Model", "TestSupport"]),
        tests("RedisTests", ["Redis", "TestSupport"]),
        tests("ModelStoreTests", ["ModelStore", "Model", "Redis", "TestSupport"]),
        tests("HTTPTests", ["HTTP", "TestSupport"]),
        tests(
            "ServiceTests",
            [
                "Answers", "Experiments", "Service", "HTTP", "Tokens", "Compression", "Model", "ModelStore",
                "Recommendation",
                "CatalogStore", "Recompute", "Redis", "SQLite", "Tape", "TestSupport",
            ]),
        tests("BackupTests", ["Backup", "CatalogStore", "Model", "ModelStore", "SQLite", "TestSupport"]),
        tests("AnswersTests", ["Answers", "Model", "TestSupport"]),
        tests("TokensTests", ["Tokens", "TestSupport"]),
        tests("CompressionTests", ["Compression", "TestSupport"]),
        tests("YAMLTests", ["YAML", "TestSupport"]),
        tests("ExperimentsTests", ["Experiments", "Model", "Recommendation", "TestSupport"]),
        tests("HTTPClientTests", ["HTTPClient", "HTTP", "TestSupport"]),
        tests("ReplayTests", ["Replay", "Tape", "TestSupport", "YAML"]),
        tests("TapeTests", ["Tape", "Compression", "TestSupport"]),
        tests("TextDistanceTests", ["TextDistance"]),
        tests("RecordReadingTests", ["RecordReading"]),
        tests("CommandLineOptionsTests", ["CommandLineOptions"]),
        tests("ConfigurationTests", ["Configuration", "CommandLineOptions", "YAML", "TestSupport"]),
        tests("SimilarityOptionsTests", ["SimilarityOptions", "CommandLineOptions", "Similarity"]),
        tests(
            "CatalogStoreTests",
            [
                "CatalogStore", "CivilTime", "Compression", "Model", "RecordReading", "SQLite", "SparseMatrix",
                "TestSupport",
            ]),
        tests(
            "MemberDataTests",
            ["MemberData", "CatalogStore", "Model", "ModelStore", "Recommendation", "SQLite", "TestSupport"]),
        tests("RecommendationTests", ["Recommendation", "Model", "TestSupport"]),
        tests(
            "RecomputeTests",
            [
                "Recompute", "CatalogStore", "CivilTime", "Model", "ModelStore", "Redis", "Similarity", "SQLite",
                "TestSupport",
            ]),
        tests(
            "EvaluationTests",
            [
                "Evaluation", "CatalogStore", "Experiments", "Model", "Recommendation", "Similarity", "SparseMatrix",
                "TestSupport",
            ],
            exclude: ["Reference"]),
        // A relation of the test's own, from a file to an answer.
        tests(
            "RelationTests",
            [
                "coterie", "Answers", "CatalogStore", "HTTP", "Model", "ModelStore", "Recommendation", "Recompute",
                "Service",
                "Similarity", "SQLite", "TestSupport",
            ]),
        tests("SyntheticCommunityTests", ["SyntheticCommunity", "CivilTime"]),
        // A disk that fails when it is told to.
        .target(
            name: "CFaultyDisk", dependencies: ["CSQLite"], path: "Tests/CFaultyDisk"),
        tests(
            "DurabilityTests",
            [
                "CFaultyDisk", "CatalogStore", "CSQLite", "Model", "Recommendation", "Service", "SQLite", "TestSupport",
            ]),
        // They run the executables, which are built next to them, as users do.
        tests(
            "IntegrationTests", ["coterie", "coterie-bench", "Redis", "SQLite", "Tape", "TestSupport"],
            exclude: ["BruteForce", "Releases"]),
    ] + fuzzing,
    swiftLanguageModes: [.v6]
)
