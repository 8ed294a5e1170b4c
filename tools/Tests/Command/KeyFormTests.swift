import Foundation
import Testing

@testable import ShaleCommand

/// Keys can be typed as they are printed.
@Suite struct KeyFormTests {
    private func expectRoundTrip(_ key: [UInt8]) throws {
        for form in [KeyForm.escaped, .hex, .base64] {
            let text = KeyArgument.text(key, form).text
            try #require(try KeyArgument.bytes(text, form) == key, "\(key) as \(text)")
            try #require(!text.unicodeScalars.contains { Escaping.isUnsafe($0) })
        }
    }

    @Test func everyPrintedKeyOfUpToTwoBytesIsThatKeyAgain() throws {
        try expectRoundTrip([])
        for first in UInt8.min...UInt8.max {
            try expectRoundTrip([first])
            for second in UInt8.min...UInt8.max { try expectRoundTrip([first, second]) }
        }
    }

    @Test func everyPrintedKeyIsThatKeyAgain() throws {
        var random = SplitMix(state: 20_261_123)
        let pieces: [[UInt8]] =
            [
                "\\", "\\x", "\\n", "\n", "\r\n", "\t", "ü", "日本", "\u{202e}", "\u{9b}", "\u{0}", "e\u{301}", "'", "\"",
                " ",
            ]
            .map { Array($0.utf8) } + [[0xff], [0xc3], [0x80], [0xed, 0xa0, 0x80], [0x5c, 0xff]]
        for _ in 0..<20_000 {
            var key: [UInt8] = []
            for _ in 0..<random.next() % 12 {
                let choice = random.next()
                if choice % 3 == 0 {
                    key.append(UInt8(truncatingIfNeeded: choice >> 8))
                } else {
                    key += pieces[Int((choice >> 8) % UInt64(pieces.count))]
                }
            }
            try expectRoundTrip(key)
        }
        print("COVERED 20000 keys")
    }

    @Test func aBackslashThatBeginsNoEscapeIsRefused() throws {
        for text in ["\\", "a\\b", "\\x", "\\x1", "\\xg0", "\\x+1", "\\u0041"] {
            #expect(throws: ToolFailure.self, "\(text)") { try KeyArgument.bytes(text, .escaped) }
        }
        for text in ["A", "AA=", "AB==", "A A=", "AA==\n"] {
            #expect(throws: ToolFailure.self, "\(text)") { try KeyArgument.bytes(text, .base64) }
        }
    }

    @Test func getAcceptsTheKeysThatScanPrints() throws {
        let sandbox = try Sandbox()
        try sandbox.shale("put", sandbox.store, "n", "first", "v", "--create")
        for (key, value) in [("00ff5c0a", "bytes"), ("5c78", "backslash"), ("c3bc0d09", "text")] {
            #expect(try sandbox.shale("put", sandbox.store, "n", key, value, "--hex").status == 0)
        }
        let lines = try sandbox.shale("scan", sandbox.store, "n").output.split(separator: "\n")
        #expect(lines.count == 4)
        for line in lines {
            let parts = line.split(separator: "\t")
            #expect(try sandbox.shale("get", sandbox.store, "n", String(parts[0])).output == parts[1] + "\n")
            #expect(try sandbox.shale("find", sandbox.store, "n", String(parts[0])).status == 0)
        }
        let entry = try sandbox.shale("get", sandbox.store, "n", "\\x00\\xff\\x5c\\n", "--json").json()["entry"]
        let base64 = try #require((entry as? [String: Any])?["keyBase64"] as? String)
        #expect(try sandbox.shale("get", sandbox.store, "n", base64, "--base64").output == "bytes\n")
        #expect(try sandbox.shale("get", sandbox.store, "n", base64, "--base64", "--hex").status == 64)
        let range = ["--from", "\\x00", "--to", "a", "--keys-only"]
        #expect(try sandbox.run(["scan", sandbox.store, "n"] + range).output == "\\x00\\xff\\x5c\\x0a\n\\\\x\n")
        #expect(try sandbox.shale("delete", sandbox.store, "n", "\\\\x").status == 0)
        #expect(try sandbox.shale("get", sandbox.store, "n", "\\\\x").status == 1)
    }

    @Test func valuesCanBeEscapedOrBase64() throws {
        let sandbox = try Sandbox()
        let put = ["put", sandbox.store, "n", "k"]
        #expect(try sandbox.run(put + ["a\\tb\\\\", "--value-escaped", "--create"]).status == 0)
        #expect(try sandbox.shale("get", sandbox.store, "n", "k", "--raw").output == "a\tb\\")
        #expect(try sandbox.shale("scan", sandbox.store, "n").output == "k\ta\\tb\\\\\n")
        #expect(try sandbox.run(put + ["--value-base64", "--type", "data"], input: "AAEC\n/w==\n").status == 0)
        #expect(try sandbox.shale("get", sandbox.store, "n", "k").output == "AAEC/w==\n")
        #expect(try sandbox.run(put + ["\\xff", "--value-escaped", "--type", "data"]).status == 0)
        #expect(try sandbox.shale("get", sandbox.store, "n", "k").output == "/w==\n")
        for wrong in [
            ["\\", "--value-escaped"], ["=", "--value-base64"], ["a", "--value-escaped", "--value-base64"],
        ] {
            #expect(try sandbox.run(put + wrong).status == 64)
        }
    }
}
