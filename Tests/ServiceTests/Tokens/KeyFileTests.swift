import Foundation
@testable import Service
import TestSupport
import Testing

@Suite("Key files")
struct KeyFileTests {
    private let folder: TemporaryDirectory
    private var path: String { "\(folder.path)/keys.json" }

    init() throws { folder = try TemporaryDirectory() }

    private func write(_ text: String, mode: Int = 0o600) throws {
        // A new file each time, so that its stamp differs however quickly the changes follow each other.
        let draft = "\(path).draft-\(UUID().uuidString)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: draft))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: draft)
        #expect(unsafe rename(draft, path) == 0)
    }

    private func key(_ id: String, bytes: Int = 32, byte: UInt8 = 1) -> String {
        let secret = Forgery.base64url([UInt8](repeating: byte, count: bytes))
        return #"{"kty":"oct","kid":"\#(id)","k":"\#(secret)"}"#
    }

    @Test("A new file has one key and mode 0600; further keys are added before it")
    func adding() throws {
        let file = KeyFile(path: path)
        let first = try file.addKey(id: "first")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try file.read().keys == [first])
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let second = try file.addKey(id: "second")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        #expect(try file.read().keys == [second, first])
        #expect(try file.read().signing == second)
        #expect(first.secret != second.secret)
        #expect(throws: TokenError.self) { try file.addKey(id: "second") }
        #expect(try file.read().keys == [second, first])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keys.json"])
    }

    @Test("A key is added to the file that a link leads to, and the link stays")
    func behindLink() throws {
        let link = folder.path + "/link.json"
        let first = try KeyFile(path: path).addKey(id: "first")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let second = try KeyFile(path: link).addKey(id: "second")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        #expect(try KeyFile(path: path).read().keys == [second, first])
    }

    @Test("A pipe in the place of the file is refused at once, and the keys before stay in use")
    func pipe() throws {
        try write(#"{"keys":[\#(key("a"))]}"#)
        let ring = try KeyRing(KeyFile(path: path))
        let pipe = path + ".pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0 && rename(pipe, path) == 0)
        let error = #expect(throws: TokenError.self) { try ring.refresh() }
        #expect(error?.code == .keyFileFailed && error?.message.contains("a pipe") == true, "\(error?.message ?? "")")
        #expect(try !ring.refresh(), "it is told once")
        #expect(ring.current.keys.keys.map(\.id) == ["a"])
        try write(#"{"keys":[\#(key("b"))]}"#)
        #expect(try ring.refresh() && ring.current.keys.keys.map(\.id) == ["b"])
    }

    @Test("Bad files are refused, and their contents are not shown")
    func refusals() throws {
        let short = key("a", bytes: 31)
        let cases: [(String, TokenError.Code)] = [
            ("", .badKeyFile), ("{}", .badKeyFile), (#"{"keys":[]}"#, .badKeyFile), ("[]", .badKeyFile),
            (#"{"keys":[\#(short)]}"#, .badKeyFile), (#"{"keys":[\#(key("a", bytes: 0))]}"#, .badKeyFile),
            (#"{"keys":[\#(key("a")),\#(key("a"))]}"#, .badKeyFile), (#"{"keys":[\#(key(""))]}"#, .badKeyFile),
            (#"{"keys":[\#(key("a b"))]}"#, .badKeyFile),
            (#"{"keys":[{"kty":"RSA","kid":"a","k":"AAAA"}]}"#, .badKeyFile),
            (#"{"keys":[{"kty":"oct","kid":"a","k":"!!!secret!!!"}]}"#, .badKeyFile),
            (String(repeating: " ", count: 70_000), .badKeyFile),
        ]
        for (text, expected) in cases {
            try write(text)
            let error = #expect(throws: TokenError.self) { try KeyFile(path: path).read() }
            #expect(error?.code == expected)
            #expect(error?.message.contains(path) == true)
            #expect(error?.message.contains("secret") == false)
        }
        try write(#"{"keys":[\#(key("a"))]}"#, mode: 0o604)
        #expect(throws: TokenError.self) { try KeyFile(path: path).read() }
        #expect(throws: TokenError.self) { try KeyFile(path: "\(folder.path)/none").read() }
    }

    @Test("Keys are replaced when the file changes, and kept when it becomes invalid")
    func rotation() throws {
        try write(#"{"keys":[\#(key("a"))]}"#)
        let ring = try KeyRing(KeyFile(path: path))
        let watch = KeyWatch(ring, log: Lines().log)
        func isUp() -> Bool {
            var text = MetricsText()
            watch.write(to: &text)
            return String(decoding: text.bytes, as: UTF8.self).contains("\ncoterie_keys_up 1\n")
        }
        #expect(try !ring.refresh() && isUp())
        try write(#"{"keys":[\#(key("b", byte: 2)),\#(key("a"))]}"#)
        #expect(try ring.refresh())
        #expect(ring.current.keys.keys.map(\.id) == ["b", "a"])
        #expect(ring.current.generation == 1)
        try write("broken")
        #expect(throws: TokenError.self) { try ring.refresh() }
        // The error is thrown once.
        #expect(try !ring.refresh() && !isUp())
        try FileManager.default.removeItem(atPath: path)
        #expect(try !ring.refresh() && !isUp())
        #expect(ring.current.keys.keys.map(\.id) == ["b", "a"])
        try write(#"{"keys":[\#(key("b", byte: 2))]}"#)
        #expect(try ring.refresh())
        #expect(ring.current.keys.keys.map(\.id) == ["b"])
        #expect(ring.current.generation == 2 && isUp())
    }
}
