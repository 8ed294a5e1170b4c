/// Splits lines of a session into words.
///
/// Blanks separate words, and apostrophes or quotation marks keep them together. A backslash has no meaning here, so a
/// printed key can be typed as it is.
struct SessionLine {
    private(set) var words: [String] = []
    /// The offset in characters at which the last word begins; the end of the line if a blank is there.
    private(set) var lastStart = 0
    /// The quote that is not closed; `nil` if all are.
    private(set) var openQuote: Character?

    /// True if the line ends behind a blank, so that the next word has not begun.
    private(set) var endsWithBlank = true

    init(_ text: String) {
        for (offset, character) in text.enumerated() {
            if let quote = openQuote {
                if character == quote { openQuote = nil } else { words[words.count - 1].append(character) }
                continue
            }
            if character.isWhitespace {
                endsWithBlank = true
                continue
            }
            if endsWithBlank {
                words.append("")
                lastStart = offset
                endsWithBlank = false
            }
            if character == "'" || character == "\"" {
                openQuote = character
            } else {
                words[words.count - 1].append(character)
            }
        }
        if endsWithBlank { lastStart = text.count }
    }

    /// Returns the text that is split into the one word `word`.
    static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && !word.contains { $0.isWhitespace || $0 == "'" || $0 == "\"" }
        return isPlain ? word : "'" + word.replacing("'", with: "'\"'\"'") + "'"
    }
}
