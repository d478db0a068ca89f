@testable import CommandLine
import TestSupport
import Testing

@Suite("Reading YAML")
struct YAMLTreeTests {
    private func parse(_ text: String) throws(YAMLError) -> YAMLNode {
        try YAMLFile.parse(Array(text.utf8), file: "site.yaml")
    }

    @Test("gives values, their order, and where each stands")
    func places() throws {
        let root = try parse(
            """
            # The site
            serve:
              port: 8080   # not the default
              hosts: [a, "b"]
            weights:
            - 0.5
            - größe: no
            """)
        let entries = try root.entries()
        #expect(entries.map(\.key) == ["serve", "weights"])
        #expect(entries.map(\.place.description) == ["site.yaml:2:1", "site.yaml:5:1"])
        let serve = try #require(try root.value(of: "serve"))
        let port = try #require(try serve.value(of: "port"))
        #expect(try port.integer() == 8080)
        #expect(port.place == YAMLPlace(file: "site.yaml", line: 3, column: 9))
        let hosts = try #require(try serve.value(of: "hosts")).elements()
        #expect(try hosts.map { node throws(YAMLError) in try node.text() } == ["a", "b"])
        #expect(hosts[1].content == .scalar("b", isPlain: false))
        #expect(hosts[1].place == YAMLPlace(file: "site.yaml", line: 4, column: 14))
        let weights = try #require(try root.value(of: "weights")).elements()
        #expect(try weights[0].number() == 0.5)
        // Columns count characters, not bytes.
        let size = try #require(try weights[1].value(of: "größe"))
        #expect(try size.text() == "no")
        #expect(size.place == YAMLPlace(file: "site.yaml", line: 7, column: 10))
        #expect(try root.value(of: "port") == nil)
    }

    @Test(
        "of nothing but comments gives an empty node", arguments: ["", "\n", "# nothing\n", "---\n", "\u{FEFF}# a\n"])
    func empty(text: String) throws {
        let root = try parse(text)
        #expect(root.isNull)
        #expect(try root.entries().isEmpty)
        #expect(try root.elements().isEmpty)
    }

    @Test("gives types as they are asked for, and refuses what is none of them with its place")
    func types() throws {
        let root = try parse(
            #"{a: 1, b: "1", c: true, d: yes, e: 0x10, f: .inf, g: , h: [1], i: 1e-3, j: "", k: -7}"#)
        func node(_ key: String) throws -> YAMLNode { try #require(try root.value(of: key)) }
        #expect(try node("a").number() == 1)
        #expect(try node("a").text() == "1")
        #expect(try node("c").boolean())
        #expect(try node("d").text() == "yes")
        #expect(try node("i").number() == 0.001)
        #expect(try node("j").text() == "")
        #expect(try node("k").integer() == -7)
        for (key, message) in [
            ("b", #"site.yaml:1:11: an integer must stand here, not "1""#),
            ("e", #"site.yaml:1:36: an integer must stand here, not "0x10""#),
            ("h", "site.yaml:1:59: an integer must stand here, not a list"),
        ] {
            let error = #expect(throws: YAMLError.self) { try node(key).integer() }
            #expect(error?.description == message)
        }
        #expect(throws: YAMLError.self) { try node("d").boolean() }
        #expect(throws: YAMLError.self) { try node("e").number() }
        #expect(throws: YAMLError.self) { try node("f").number() }
        #expect(throws: YAMLError.self) { try node("g").text() }
        #expect(throws: YAMLError.self) { try node("a").entries() }
        #expect(throws: YAMLError.self) { try root.elements() }
    }

    @Test("gives back the tree that was written, whatever it holds")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 14)
        for _ in 0..<300 {
            let tree = RandomTree.tree(depth: 4, using: &random)
            let text = tree.written(using: &random)
            #expect(RandomTree(try parse(text)) == tree, "\(text)")
        }
    }
}
