import Foundation
import ShalePlatform
import TestSupport
import Testing

@testable import Shale

/// Contract S-6: the check that bounds a JSON document before decoding refuses no document that the decoder
/// accepts.
@Suite struct JSONCheckTests {
    private func accepts(_ document: [UInt8]) -> Bool {
        code { () throws(StorageError) in try unsafe JSONCheck.check(document.span.bytes) } == nil
    }

    @Test(arguments: [
        "1", " -0.5e+10 ", "\"\"", "\"\\u00e4\\\\\"", "[]", "{}", "[[],{},[1,2]]",
        "{\"a\":{\"b\":[null,true,false]}}\n", "[1 , 2]", "[1,]",
    ])
    func documentsAreAccepted(text: String) { #expect(accepts(Array(text.utf8))) }

    @Test(arguments: [
        "", " ", "[", "[,]", "{\"a\"}", "{1:2}", "[1 2]",
        "tru", "01", "1.", "\"\\x\"", "\"a", "[]]", "nulll", "\"\u{1}\"",
    ])
    func whatIsNoneIsRefused(text: String) { #expect(!accepts(Array(text.utf8))) }

    @Test func depthIsBounded() {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: 0x5b, count: depth) + [UInt8](repeating: 0x5d, count: depth)
        }
        #expect(accepts(nested(JSONCheck.depthMax)))
        #expect(!accepts(nested(JSONCheck.depthMax + 1)))
    }

    @Test func nothingIsRefusedThatTheDecoderTakes() throws {
        let random = SeededRandom(seed: Ring.seed &+ 31)
        let base = Array(#"{"a":[1,-2.5e3,"t\u00e4\n",null,true],"b":{"c":{},"d":[[],""]}, "é":0}"#.utf8)
        var decoded = 0
        for _ in 0..<Ring.choose(commit: 3000, nightly: 30_000, release: 300_000) {
            var document = base
            for _ in 0..<Int(1 + random.next() % 3) {
                let place = Int(random.next() % UInt64(document.count))
                switch random.next() % 3 {
                case 0: document[place] = UInt8(truncatingIfNeeded: 1 + random.next() % 255)
                case 1: document.remove(at: place)
                default: document.insert(base[Int(random.next() % UInt64(base.count))], at: place)
                }
            }
            guard (try? JSONDecoder().decode(StructuredValue.self, from: Data(document))) != nil else { continue }
            decoded += 1
            #expect(accepts(document), "\(String(decoding: document, as: UTF8.self)) \(Ring.reproduction)")
        }
        #expect(decoded > 100)
    }
}
