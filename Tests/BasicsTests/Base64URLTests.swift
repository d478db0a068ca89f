import Basics
import Testing

@Suite("Base64 for addresses")
struct Base64URLTests {
    @Test("has the characters and lengths of RFC 4648, and is read back")
    func roundTrip() {
        #expect(Base64URL.encode([0xFB, 0xFF, 0xFE]) == "-__-" && Base64URL.decode("-__-") == [0xFB, 0xFF, 0xFE])
        for count in 0..<9 {
            let bytes = (0..<count).map { UInt8(251 &- 37 * $0 & 0xFF) }
            let text = Base64URL.encode(bytes)
            #expect(text.utf8.count == (count * 8 + 5) / 6 && Base64URL.decode(text) == bytes)
        }
        #expect(Base64URL.decode("a") == nil && Base64URL.decode("a b_") == nil && Base64URL.decode("é") == nil)
    }
}
