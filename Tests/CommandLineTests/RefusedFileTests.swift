import CommandLine
import Glibc
import TestSupport
import Testing

@Suite("Refused configuration files")
struct RefusedFileTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let text: String
        let place: String
        let message: String
        var testDescription: String { text }

        init(_ text: String, _ place: String, _ message: String) {
            self.text = text
            self.place = place
            self.message = message
        }
    }

    @Test("A pipe in the place of a file is refused at once")
    func pipe() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/coterie.yaml"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let error = #expect(throws: YAMLError.self) { try YAMLFile.read(path) }
        #expect(error?.message.contains("a pipe: put an ordinary file there") == true, "\(error?.message ?? "")")
    }

    @Test(
        "The mistake is named with its place, and the nearest key",
        arguments: [
            Refusal(
                "serve:\n  prot: 80\n", "2:3",
                "there is no setting serve.prot: did you mean serve.port?"),
            Refusal("port: 80\n", "1:1", "there is no setting port: did you mean serve.port?"),
            Refusal("server: {port: 80}\n", "1:1", "there is no setting server: did you mean serve?"),
            Refusal("serve.port: 80\n", "1:1", stands),
            Refusal(
                "serve:\n  port: 70000\n", "2:9",
                #"serve.port must be a whole number from 0 to 65535, but is "70000""#),
            Refusal(
                "serve:\n  staleAfter: 3 weeks\n", "2:15",
                #"serve.staleAfter must be a duration such as 90s, 15m, 1h or 7d, from 60s to 3650d, but is "#
                    + #""3 weeks""#),
            Refusal(
                "serve: {logRequests: yes}\n", "1:22",
                #"serve.logRequests must be true or false, but is "yes""#),
            Refusal(
                "compute: {measure: jaccard}\n", "1:20",
                #"compute.measure must be one of cosine, modified, but is "jaccard""#),
            Refusal(
                "compute: {shrinkage: .nan}\n", "1:22",
                #"compute.shrinkage must be a number from 0.0 to 1000000000.0, but is ".nan""#),
            Refusal(
                "serve:\n  port:\n", "2:3", "serve.port has no value: give one, or remove the line"),
            Refusal("serve: [port]\n", "1:8", "keys with values must stand here, not a list"),
            Refusal("serve: {port: [1, 2]}\n", "1:15", "serve.port: a text must stand here, not a list"),
            Refusal(
                "serve: {port: 1}\nserve: {port: 2}\n", "2:1",
                #"the key "serve" stands here again: it is on line 1 already"#),
            Refusal(
                "store:\n  location: redis://:geheim@host\n", "2:13",
                "store.location has a password in it: put it into a file that only its owner can read, "
                    + "and name that file in store.passwordFile"),
        ])
    func refused(refusal: Refusal) throws {
        let error = #expect(throws: YAMLError.self) { try read(refusal.text) }
        #expect(error?.description.hasSuffix("/site.yaml:\(refusal.place): \(refusal.message)") == true, "\(refusal)")
    }

    private static let stands = "serve.port cannot stand in one word: put port below serve"

    @Test("A mistake in the file of an environment names that file")
    func environment() {
        let error = #expect(throws: YAMLError.self) { try read("serve: {port: 1}", over: "serve: {port: x}") }
        #expect(error?.place?.file.hasSuffix("/site.test.yaml") == true)
    }

    @Test("A setting that is gone is named with its place, and is no fault; what stands beside it counts")
    func gone() throws {
        let text = "serve:\n  port: 80\n  shine: {a: 1}\nold: x\n"
        let values = try read(text, over: "old: y\n", gone: ["serve.shine", "old"])
        #expect(values.values.keys.sorted() == ["serve.port"])
        let warnings = values.gone.map(\.warning)
        #expect(
            warnings.map { $0.split(separator: "/").last?.prefix { $0 != " " } } == [
                "site.yaml:3:3:", "site.yaml:4:1:", "site.test.yaml:1:1:",
            ])
        #expect(warnings.first?.contains("the setting serve.shine is gone") == true)
        #expect(throws: YAMLError.self) { try read(text) }
    }

    @Test("No login is shown")
    func hidden() {
        #expect(Secrets.hidden(in: "redis://anna:geheim@host/1") == "redis://…@host/1")
        #expect(Secrets.hidden(in: "redis://host/1") == "redis://host/1")
        #expect(Secrets.hidden(in: "models@home") == "models@home")
    }

    @Test("All settings are in the table once, with a variable each")
    func table() {
        let table = SettingsTable(layered)
        #expect(
            table.options.compactMap(\.setting?.key) == [
                "store.location", "serve.port", "serve.staleAfter", "access.open", "serve.logRequests",
                "compute.measure", "compute.shrinkage",
            ])
        #expect(table["serve.port"]?.environmentVariable == "SAMPLE_PORT")
        #expect(table["serve.staleAfter"]?.environmentVariable == "SAMPLE_SERVE_STALE_AFTER")
        #expect(table["once"] == nil)
    }
}
