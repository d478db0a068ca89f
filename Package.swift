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

/// A module that computes, or that every launch or request uses: optimized in debug builds too, or tests would take
/// twice as long.
func computing(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: optimized)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], settings: [SwiftSetting] = strict
) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

/// Tests that compute by themselves: references, simulations and many seeds.
func computingTests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    tests(name, dependencies, exclude: exclude, settings: optimized)
}

/// What the fuzz targets use.
let fuzzed: [Target.Dependency] = [
    "Answers", "CatalogStore", "Changes", "CommandLine", "Basics", "HTTP", "Model", "ModelStore", "RecordReading",
    "Recommendation", "Redis", "Service", "TestSupport",
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

/// The name of the build, which `Jobs/package` gives: the state of the checkout itself would be one of an earlier build.
let buildName = Context.environment["COTERIE_BUILD"] ?? ""

let package = Package(
    name: "coterie",
    products: [
        .executable(name: "coterie", targets: ["coterie"]),
        .executable(name: "coterie-bench", targets: ["coterie-bench"]),
        // Tests load it into programs.
        .library(name: "KilledAtStep", type: .dynamic, targets: ["CKilledAtStep"]),
    ],
    targets: [
        // C libraries from the system.
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CXXHash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "CLibJWT", providers: [.apt(["libjwt-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CArchive", providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        // Pure.
        computing("Basics", ["CXXHash", "CZlib"]),
        .target(name: "CSimilarity", cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]),
        .target(
            name: "Similarity", dependencies: ["Basics", "Model", "CSimilarity"], swiftSettings: optimized,
            linkerSettings: [.linkedLibrary("m")]),
        // A header without a library: an instruction that Swift has no name for.
        .systemLibrary(name: "CPrefetch"),
        computing("Model", ["Basics", "CPrefetch"]),
        computing("Recommendation", ["Basics", "Model"]),
        // Debian has FAISS as a static library; `CFaiss` has the function of BLAS that it calls.
        .target(
            name: "CFaiss",
            cxxSettings: [
                .unsafeFlags(["-ffp-contract=off"]), .unsafeFlags(["-O2"], .when(configuration: .debug)),
            ],
            linkerSettings: ["faiss", "gomp", "stdc++", "m"].map { .linkedLibrary($0) }),
        computing("Looks", ["Basics", "CFaiss", "Model"]),
        computing("Experiments", ["Basics", "Model", "Recommendation"]),
        computing("RecordReading", ["Basics"]),
        computing("Answers", ["Basics", "Model", "Recommendation"]),

        // Linux calls that Swift's module for glibc lacks.
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CMalloc"),

        .target(name: "CBuild", cSettings: [.define("COTERIE_BUILD", to: "\"\(buildName)\"")]),

        // Small files that are read whole, gzip, and errors of the system in words.

        // Thin wrappers over the C libraries, and HTTP over sockets.
        module("SQLite", ["CSQLite", "Basics"]),
        module("Redis", ["Basics", "CHiredis"]),
        computing("HTTP", ["Basics", "CEpoll", "CCurl"]),

        // Options, configuration files, and the options of the formula.
        computing("CommandLine", ["CYAML", "Basics", "RecordReading", "Similarity"]),

        // What members and the site do: journals, streams, and their exchange.
        computing("Changes", ["CCrypto", "Basics", "Model", "Redis", "SQLite"]),

        // The system.
        computing(
            "CatalogStore",
            [
                "Changes", "SQLite", "CXXHash", "CZlib", "Basics", "Looks", "Similarity", "RecordReading",
                "Recommendation", "Model",
            ]),
        computing("ModelStore", ["Changes", "Basics", "Redis", "Model", "CXXHash", "CZlib"]),
        computing(
            "Recompute",
            [
                "CMalloc", "CatalogStore", "Changes", "Basics", "Evaluation", "Looks", "Similarity", "Recommendation",
                "Model", "ModelStore",
            ]),
        computing(
            "Evaluation", ["Basics", "Changes", "Experiments", "Recommendation", "Model", "CatalogStore", "Similarity"]),
        .target(
            name: "Service",
            dependencies: [
                "Answers", "CBuild", "CLibJWT", "Basics", "HTTP", "Evaluation", "Experiments", "Looks",
                "Recommendation", "Model", "ModelStore", "CatalogStore", "Changes", "RecordReading",
                "SQLite",
            ],
            resources: [
                .embedInCode("Pages/Resources/pages.css"), .embedInCode("Pages/Resources/pages.js"),
                .embedInCode("Pages/Resources/map.js"), .embedInCode("Pages/Resources/icon.svg"),
                .embedInCode("Component/Resources/coterie-groups.js"),
            ]
                + ["ar", "de", "es", "fr", "ja", "pt"].map {
                    .embedInCode("Component/Resources/coterie-groups.\($0).js")
                }, swiftSettings: strict),
        module(
            "Operations",
            [
                "CArchive", "CCrypto", "CatalogStore", "Changes", "Basics", "CommandLine", "HTTP",
                "Model", "ModelStore", "Recompute", "RecordReading", "Service", "SQLite",
            ]),
        .executableTarget(
            name: "coterie",
            dependencies: [
                "Answers", "CatalogStore", "Changes", "Basics", "CommandLine", "Evaluation", "Experiments",
                "HTTP",
                "Looks", "Model",
                "ModelStore", "Operations", "Recommendation", "Recompute", "RecordReading", "Service", "Similarity",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "coterie-bench",
            dependencies: [
                "CatalogStore", "Basics", "CommandLine", "Experiments", "Looks", "Model", "ModelStore",
                "Recommendation", "Recompute", "Redis", "Service", "Similarity", "SQLite",
            ],
            resources: [.embedInCode("Community/Vocabulary/vocabulary.json")], swiftSettings: optimized),

        // Tests: one target a module, and the integration tests.
        .target(
            name: "TestSupport", dependencies: ["Basics", "CatalogStore", "Changes", "HTTP", "Similarity", "Model"],
            path: "Tests/TestSupport",
            swiftSettings: optimized),
        computingTests("SimilarityTests", ["Basics", "Similarity", "Model", "TestSupport"], exclude: ["Reference"]),
        computingTests("LooksTests", ["Basics", "Looks", "Model", "TestSupport"]),
        tests("ModelTests", ["Basics", "Model", "TestSupport"]),
        tests("RedisTests", ["Redis", "TestSupport"]),
        computingTests(
            "ChangesTests",
            ["Basics", "Changes", "Model", "Redis", "SQLite", "TestSupport"]),
        tests("ModelStoreTests", ["Basics", "Changes", "ModelStore", "Model", "Redis", "TestSupport"]),
        tests("HTTPTests", ["Basics", "HTTP", "TestSupport"]),
        tests(
            "ServiceTests",
            [
                "Answers", "Experiments", "Service", "HTTP", "Basics", "Model", "ModelStore", "Recommendation",
                "CatalogStore", "Changes", "Recompute", "Redis", "SQLite", "TestSupport",
            ]),
        tests(
            "OperationsTests",
            [
                "Basics",
                "Operations", "CatalogStore", "Changes", "CommandLine", "Model", "ModelStore", "Service",
                "SQLite",
                "TestSupport",
            ]),
        tests("AnswersTests", ["Answers", "Model", "TestSupport"]),
        computingTests("BasicsTests", ["Basics", "TestSupport"]),
        computingTests("ExperimentsTests", ["Experiments", "Model", "Recommendation", "TestSupport"]),
        tests("RecordReadingTests", ["Basics", "RecordReading"]),
        tests("CommandLineTests", ["CommandLine", "Similarity", "TestSupport"]),
        tests(
            "CatalogStoreTests",
            [
                "CatalogStore", "Changes", "Basics", "Looks", "Model", "RecordReading", "Similarity",
                "SQLite", "TestSupport",
            ]),
        computingTests("RecommendationTests", ["Recommendation", "Model", "TestSupport"]),
        computingTests(
            "RecomputeTests",
            [
                "Recompute", "CatalogStore", "Changes", "Basics", "Model", "ModelStore", "Redis", "Similarity",
                "SQLite", "TestSupport",
            ]),
        tests(
            "EvaluationTests",
            [
                "Basics", "Evaluation", "CatalogStore", "Changes", "Experiments", "Model", "Recommendation",
                "Similarity", "TestSupport",
            ],
            exclude: ["Reference"]),
        // A relation of the test's own, from a file to an answer.
        tests(
            "RelationTests",
            [
                "Basics",
                "coterie", "Answers", "CatalogStore", "Changes", "CommandLine", "HTTP", "Model", "ModelStore",
                "Recommendation",
                "Recompute",
                "Service", "Similarity", "SQLite", "TestSupport",
            ]),
        // Random histories of members, told to all that answer questions about members.
        computingTests(
            "HistoryTests",
            [
                "Basics",
                "coterie", "CatalogStore", "Changes", "CommandLine", "Model", "ModelStore", "Recommendation",
                "Recompute", "Redis", "Service", "Similarity", "TestSupport",
            ]),
        computingTests("CommunityTests", ["coterie-bench", "Basics", "Model"]),
        // A disk that fails when it is told to.
        .target(
            name: "CFaultyDisk", dependencies: ["CSQLite"], path: "Tests/CFaultyDisk"),
        computingTests(
            "DurabilityTests",
            [
                "CFaultyDisk", "CatalogStore", "Changes", "CSQLite", "Model", "Recommendation", "Service", "SQLite",
                "TestSupport",
            ]),
        // Kills a program at a step that it is told.
        .target(name: "CKilledAtStep", path: "Tests/CKilledAtStep"),
        // They run the executables, which are built next to them, as users do.
        tests(
            "IntegrationTests",
            ["Basics", "Changes", "coterie", "coterie-bench", "Model", "Redis", "Service", "SQLite", "TestSupport"],
            exclude: ["BruteForce", "Browser", "Connect", "Releases"]),
    ] + fuzzing,
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
