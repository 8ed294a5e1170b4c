import Foundation
import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleMaintenance

@Suite struct Base64Tests {
    private func encoded(_ bytes: [UInt8]) -> String {
        var text = ByteBuffer()
        text.append(UInt8(ascii: ">"))
        unsafe bytes.withUnsafeBytes { Base64.encode(unsafe Bytes($0), into: &text) }
        return String(decoding: text.bytes.array().dropFirst(), as: UTF8.self)
    }

    /// Returns `nil` if the text is refused; then no byte was appended.
    private func decoded(_ text: String) -> [UInt8]? {
        var bytes = ByteBuffer()
        bytes.append(7 as UInt8)
        let isGood = unsafe Array(text.utf8).withUnsafeBytes { Base64.decode(unsafe Bytes($0), into: &bytes) }
        let all = bytes.bytes.array()
        #expect(all.first == 7 && (isGood || all.count == 1))
        return isGood ? Array(all.dropFirst()) : nil
    }

    @Test func thereAndBackAsFoundationDoes() {
        let random = SeededRandom(seed: 64)
        for count in Array(0..<100) + [1000, 1021, 1022, 1023, 1024, 70_000] {
            let bytes = random.bytes(count)
            let text = encoded(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(decoded(text) == bytes)
        }
    }

    @Test func textThatIsNoBase64IsRefused() {
        for text in ["A", "AA", "AAA", "AAAAA", "====", "A===", "AA=A", "=AAA", "AB==", "AAB=", "AAAA====", "AA==AAAA"]
        {
            #expect(decoded(text) == nil, "\(text)")
        }
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let text = Array("QUJDREVGR0hJSktM".utf8)
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[index] = byte
                var bytes = ByteBuffer()
                let isGood = unsafe changed.withUnsafeBytes { Base64.decode(unsafe Bytes($0), into: &bytes) }
                // One padding letter at the end requires zero bits before it, and "T" has none.
                #expect(isGood == letters.contains(byte), "\(byte) at \(index)")
            }
        }
    }

    /// Some JSON encoders escape slashes.
    @Test func escapedSlashesAreRead() throws {
        for text in [#""//8=","#, #""\/\/8=","#, #" "\u002f/8=","#] {
            let line = OwnedBytes(Array(text.utf8))
            defer { withExtendedLifetime(line) {} }
            var scanner = JSONScanner(line.bytes)
            var bytes = ByteBuffer()
            var buffer = ByteBuffer()
            #expect(try scanner.base64(into: &bytes, &buffer))
            #expect(bytes.bytes.array() == [0xff, 0xff] && scanner.passes(UInt8(ascii: ",")))
        }
    }
}
