import Testing

@testable import ShaleCommand

/// The only type that the command prints: literals stay as they are, and everything else is escaped
/// (ShaleInspection.docc, "The command").
@Suite struct ShownTests {
    @Test func interpolationsAreEscapedAndLiteralsAreNot() {
        let data = "a\u{1b}[2J\u{9b}\u{202e}\\\n"
        #expect(("\u{1b}[1m\(data)" as Shown).text == "\u{1b}[1m" + #"a\x1b[2J\xc2\x9b\xe2\x80\xae\\\n"#)
        #expect(("\(message: data)" as Shown).text == "a\\x1b[2J\\xc2\\x9b\\xe2\\x80\\xae\\\\n")
        #expect(Shown(lines: data).text == #"a\x1b[2J\xc2\x9b\xe2\x80\xae\"# + "\n")
        #expect(Shown(json: "\"\u{9b}\u{e0041}\"").text == #""\u009b\udb40\udc41""#)
    }

    @Test func noTwoTextsLookTheSameInOneLine() {
        let texts = ["\u{1b}", "\\x1b", "\\\\x1b", "\n", "\\n", "a", "a\u{200b}", "a\u{ad}", "\u{202e}a", "\t", "\\t"]
        #expect(Set(texts.map { Shown($0) }).count == texts.count)
    }

    @Test func textOfAnyScriptStaysAsItIs() {
        for text in ["Zürich", "日本語", "\u{1f468}\u{200d}\u{1f469}", "نمی\u{200c}خواهم", "e\u{301}", "שלום", "a b"] {
            #expect(Shown(text).text == text)
            #expect(Shown(json: text).text == text)
        }
    }

    @Test func everyScalarThatIsNotShownIsEscapedInEachWay() throws {
        for value in UInt32(0)...0x10ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let category = scalar.properties.generalCategory
            let isControl = category == .control || category == .lineSeparator || category == .paragraphSeparator
            // Unicode's controls and marks of direction are always escaped.
            if isControl || scalar.properties.isBidiControl {
                try #require(Escaping.isUnsafe(scalar), "\(String(value, radix: 16))")
            }
            guard Escaping.isUnsafe(scalar) else { continue }
            for shown in [Shown(String(scalar)), Shown(message: String(scalar)), Shown(json: "\(scalar)")] {
                try #require(
                    shown.text.unicodeScalars.allSatisfy { !Escaping.isUnsafe($0) || $0 == "\n" || $0 == "\t" })
            }
        }
    }
}
