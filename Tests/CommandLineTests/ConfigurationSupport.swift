import CommandLine
import Foundation
import TestSupport

/// A program with two commands that share a setting.
let layered = CommandLineProgram(
    name: "sample", summary: "Does nothing", version: "1",
    commands: [
        Command(
            "serve", summary: "Serves",
            options: [
                Option("store", "URL", help: "The store", default: "models", setting: Setting("store.location")),
                Option(
                    "port", "PORT", help: "The port", default: "8080", environment: "SAMPLE_PORT",
                    type: .integer(0...65535), setting: Setting("serve.port")),
                Option(
                    "stale-after", "DURATION", help: "The age", default: "14d", type: .duration(60...315_360_000),
                    setting: Setting("serve.staleAfter", isLive: true)),
                Option("open", "AREA", help: "What is open", setting: Setting("access.open"), isRepeating: true),
                Option(flag: "log-requests", help: "Log all", setting: Setting("serve.logRequests", isLive: true)),
                Option("once", "X", help: "No setting"),
            ]),
        Command(
            "compute", summary: "Computes",
            options: [
                Option("store", "URL", help: "The store", default: "models", setting: Setting("store.location")),
                Option(
                    "measure", "NAME", help: "The formula", default: "modified", allowed: ["cosine", "modified"],
                    setting: Setting("compute.measure")),
                Option(
                    "shrinkage", "H", help: "H", type: .number(0...1e9), setting: Setting("compute.shrinkage")),
            ]),
    ], variablePrefix: "SAMPLE")

/// Reads files, the first one named `site.yaml`, and the others those of environments over it.
func read(_ text: String, over environment: String? = nil, gone: Set<String> = []) throws -> ConfiguredValues {
    let directory = try TemporaryDirectory()
    let main = directory.path + "/site.yaml"
    try text.write(toFile: main, atomically: true, encoding: .utf8)
    if let environment {
        try environment.write(toFile: directory.path + "/site.test.yaml", atomically: true, encoding: .utf8)
    }
    return try ConfigurationFiles(path: main, environment: environment == nil ? nil : "test").read(
        SettingsTable(layered, gone: gone))
}
