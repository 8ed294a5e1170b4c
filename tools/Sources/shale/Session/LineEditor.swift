/// Reads lines from the terminal, with editing, history and completion. Used by one thread.
final class LineEditor {
    private enum Key {
        case text(Character)
        case enter, backspace, delete, left, right, up, down, home, end, tab
        case clearBefore, clearAfter, clearWord, clearScreen, interrupt, endOfInput
    }

    private static let name = "the terminal"
    private let prompt: Shown
    /// Returns the words that can stand at the end of a text, for its last word.
    private let complete: (String) -> [String]
    private var history: [String] = []

    private var line: [Character] = []
    private var cursor = 0
    /// The index in the history that is shown; its count means the new line.
    private var shownEntry = 0
    private var newLine: [Character] = []

    init(prompt: Shown, complete: @escaping (String) -> [String]) {
        self.prompt = prompt
        self.complete = complete
    }

    /// Reads a line; `nil` at the end of the input. The terminal has its former settings when this returns.
    func read() throws -> String? {
        guard Terminal.isOutputInteractive else {
            try Terminal.put(prompt)
            return readLine()
        }
        var before = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &before) == 0 else { throw ToolFailure.system("tcgetattr", Self.name) }
        var raw = before
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
        // TCSADRAIN keeps what was typed ahead.
        guard unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0 else {
            throw ToolFailure.system("tcsetattr", Self.name)
        }
        defer { unsafe _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &before) }
        return try edit()
    }

    private func edit() throws -> String? {
        line = []
        cursor = 0
        newLine = []
        shownEntry = history.count
        try redraw()
        while let key = try nextKey() {
            switch key {
            case .enter:
                cursor = line.count
                try redraw()
                try Terminal.put("\n")
                let text = String(line)
                if !text.allSatisfy(\.isWhitespace), text != history.last { history.append(text) }
                return text
            case .interrupt:
                try Terminal.put("^C\n")
                return ""
            case .endOfInput where line.isEmpty:
                try Terminal.put("\n")
                return nil
            default: try apply(key)
            }
            try redraw()
        }
        return nil
    }

    private func apply(_ key: Key) throws {
        switch key {
        case .text(let character):
            line.insert(character, at: cursor)
            cursor += 1
        case .backspace where cursor > 0:
            cursor -= 1
            line.remove(at: cursor)
        case .delete where cursor < line.count, .endOfInput where cursor < line.count: line.remove(at: cursor)
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(line.count, cursor + 1)
        case .home: cursor = 0
        case .end: cursor = line.count
        case .up: show(entry: shownEntry - 1)
        case .down: show(entry: shownEntry + 1)
        case .clearBefore:
            line.removeFirst(cursor)
            cursor = 0
        case .clearAfter: line.removeLast(line.count - cursor)
        case .clearWord:
            let head = line[..<cursor]
            let end = head.lastIndex { !$0.isWhitespace }.map { $0 + 1 } ?? 0
            let start = head[..<end].lastIndex(where: \.isWhitespace).map { $0 + 1 } ?? 0
            line.removeSubrange(start..<cursor)
            cursor = start
        case .clearScreen: try Terminal.put("\u{1b}[H\u{1b}[2J")
        case .tab: try completeWord()
        default: break
        }
    }

    private func show(entry: Int) {
        guard 0...history.count ~= entry else { return }
        if shownEntry == history.count { newLine = line }
        shownEntry = entry
        line = entry == history.count ? newLine : Array(history[entry])
        cursor = line.count
    }

    /// Replaces the word before the cursor by the only word that completes it, or by the longest common beginning of
    /// all. If that adds nothing, lists the words.
    private func completeWord() throws {
        let head = String(line[..<cursor])
        let words = complete(head)
        guard let first = words.first else { return }
        let common = words.dropFirst().reduce(first) { String(zip($0, $1).prefix { $0 == $1 }.map { $0.0 }) }
        let split = SessionLine(head)
        let part = split.endsWithBlank ? "" : split.words.last ?? ""
        if words.count > 1, common.count <= part.count {
            let list = words.prefix(50).map { Shown(message: $0) }.joined(separator: "  ")
            let rest: Shown = words.count > 50 ? "  …" : ""
            return try Terminal.put("\n\(list)\(rest)\n")
        }
        // A part of a word stays open: a closing quote would have to be removed again.
        let text = words.count == 1 ? SessionLine.quoted(common) + " " : Self.opened(common)
        line.replaceSubrange(split.lastStart..<cursor, with: Array(text))
        cursor = split.lastStart + text.count
    }

    private static func opened(_ part: String) -> String {
        let quoted = SessionLine.quoted(part)
        return quoted == part ? part : String(quoted.dropLast())
    }

    // MARK: The screen

    /// Draws the part of the line that contains the cursor and fits on a row. A character takes one column.
    private func redraw() throws {
        let room = max(8, Terminal.columns - prompt.count - 1)
        let start = max(0, cursor - room)
        let visible = Shown(message: String(line[start..<min(line.count, start + room)]))
        let column = prompt.count + cursor - start
        try Terminal.put("\r\(prompt)\(visible)\u{1b}[K\r\u{1b}[\(column)C")
    }

    // MARK: Keys

    /// Waits for a key; `nil` at the end of the input.
    private func nextKey() throws -> Key? {
        while let byte = try nextByte() {
            switch byte {
            case 0x0a, 0x0d: return .enter
            case 0x08, 0x7f: return .backspace
            case 0x01: return .home
            case 0x02: return .left
            case 0x03: return .interrupt
            case 0x04: return .endOfInput
            case 0x05: return .end
            case 0x06: return .right
            case 0x09: return .tab
            case 0x0b: return .clearAfter
            case 0x0c: return .clearScreen
            case 0x0e: return .down
            case 0x10: return .up
            case 0x15: return .clearBefore
            case 0x17: return .clearWord
            case 0x1b: if let key = try escapeSequence() { return key }
            default: if let character = try character(startingWith: byte) { return .text(character) }
            }
        }
        return nil
    }

    private func nextByte() throws -> UInt8? {
        var byte: [UInt8] = []
        return try readMore(into: &byte, upTo: 1, from: STDIN_FILENO, named: Self.name) ? byte[0] : nil
    }

    /// Returns the character of UTF-8 that begins with `byte`; `nil` if it is not one that can be shown.
    private func character(startingWith byte: UInt8) throws -> Character? {
        var bytes = [byte]
        let count = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
        while bytes.count < count, let next = try nextByte() { bytes.append(next) }
        guard let text = String(validating: bytes, as: UTF8.self), Shown(message: text).text == text else { return nil }
        return text.first
    }

    /// Returns the key of the sequence behind an escape character; `nil` if it is none that the editor knows.
    private func escapeSequence() throws -> Key? {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // The rest of a sequence follows at once; a user's next key does not.
        guard unsafe poll(&request, 1, 50) > 0, let kind = try nextByte(), kind == 0x5b || kind == 0x4f else {
            return nil
        }
        var parameters: [UInt8] = []
        while let byte = try nextByte() {
            guard 0x40...0x7e ~= byte else {
                parameters.append(byte)
                continue
            }
            switch (byte, parameters) {
            case (UInt8(ascii: "A"), _): return .up
            case (UInt8(ascii: "B"), _): return .down
            case (UInt8(ascii: "C"), _): return .right
            case (UInt8(ascii: "D"), _): return .left
            case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), [UInt8(ascii: "1")]): return .home
            case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), [UInt8(ascii: "4")]): return .end
            case (UInt8(ascii: "~"), [UInt8(ascii: "3")]): return .delete
            default: return nil
            }
        }
        return nil
    }
}
