/// The controlling terminal, read without echo.
final class HiddenInput {
    private static let path = "/dev/tty"
    private let descriptor: Int32

    init() throws {
        descriptor = unsafe open(Self.path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolFailure.key("there is no terminal to ask on") }
    }

    deinit { _ = close(descriptor) }

    /// Shows `prompt` and reads a line. The terminal's settings are restored when this returns, throws or is
    /// interrupted.
    func line(_ prompt: Shown) throws -> String {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { throw ToolFailure.system("tcgetattr", Self.path) }
        var hidden = before
        // Reads byte by byte, and ^C as a byte: as a signal it would leave the terminal without echo.
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &hidden) == 0 else {
            throw ToolFailure.system("tcsetattr", Self.path)
        }
        defer { unsafe _ = tcsetattr(descriptor, TCSAFLUSH, &before) }
        try writeFully(Array(prompt.text.utf8), to: descriptor, named: Self.path)
        let line = try typed()
        try writeFully([0x0a], to: descriptor, named: Self.path)
        guard let line else { throw ToolFailure.key("interrupted") }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw ToolFailure.key("the passphrase is not UTF-8")
        }
        return text
    }

    /// Returns the typed line; `nil` if the user cancelled it.
    private func typed() throws -> [UInt8]? {
        var line: [UInt8] = []
        var byte: [UInt8] = []
        while try readMore(into: &byte, upTo: 1, from: descriptor, named: Self.path) {
            switch byte.removeLast() {
            case 0x0a, 0x0d: return line
            case 0x03, 0x04, 0x1c: return nil
            case 0x15: line.removeAll()
            case 0x08, 0x7f:
                // Removes a whole character, however many bytes it has.
                while let last = line.popLast(), last & 0xc0 == 0x80 {}
            case let other: line.append(other)
            }
        }
        return nil
    }
}
