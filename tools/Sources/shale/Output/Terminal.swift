import ShaleEngine
import Synchronization

/// The output of the command: data goes to standard output, everything else to standard error. Only ``Shown`` is
/// written, except raw bytes through ``put(raw:force:)``.
enum Terminal {
    private static let outputName = "standard output"
    private static let colorMode = Mutex(ColorMode.auto)

    /// Sets the mode of `--color`. Call it before anything is written.
    static func use(_ mode: ColorMode) { colorMode.withLock { $0 = mode } }

    /// True if standard error can be redrawn.
    static let isInteractive = isScreen(STDERR_FILENO)

    /// True if standard output is a terminal of any kind.
    static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// True if standard output can be redrawn.
    static var isOutputInteractive: Bool { isScreen(STDOUT_FILENO) }

    /// Returns true for a terminal that is not a dumb one.
    private static func isScreen(_ descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1, let kind = environment("TERM") else { return false }
        return kind != "dumb"
    }

    /// True if progress and messages are coloured.
    static var hasColor: Bool { hasColor(STDERR_FILENO) }

    /// Returns true if output to `descriptor` is coloured. By default that needs a terminal and no NO_COLOR
    /// (no-color.org: any non-empty value).
    static func hasColor(_ descriptor: Int32) -> Bool {
        switch colorMode.withLock({ $0 }) {
        case .always: true
        case .never: false
        case .auto: isScreen(descriptor) && (environment("NO_COLOR") ?? "").isEmpty
        }
    }

    /// Returns a heading in output for people.
    static func heading(_ text: Shown) -> Shown {
        hasColor(STDOUT_FILENO) ? "\u{1b}[1m\(text)\u{1b}[0m" : text
    }

    static var columns: Int {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Writes a line to standard error.
    static func note(_ text: Shown) { emit(text + "\n") }

    /// Writes text to standard error. A failure is ignored, because the command should continue if nobody reads its
    /// messages.
    static func emit(_ text: Shown) {
        let bytes = Array(text.text.utf8)
        unsafe bytes.withUnsafeBytes { unsafe _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Collects data for standard output into large writes.
    struct Output: ~Copyable {
        private var buffer: [UInt8] = []

        mutating func write(_ text: Shown) throws {
            buffer.append(contentsOf: text.text.utf8)
            if buffer.count >= 64 << 10 { try flush() }
        }

        mutating func flush() throws {
            try writeFully(buffer, to: STDOUT_FILENO, named: outputName)
            buffer.removeAll(keepingCapacity: true)
        }
    }

    /// Writes a line to standard output.
    static func print(_ text: Shown) throws { try put(text + "\n") }

    /// Writes text to standard output.
    static func put(_ text: Shown) throws {
        try writeFully(Array(text.text.utf8), to: STDOUT_FILENO, named: outputName)
    }

    /// Writes bytes of data to standard output unchanged. To a terminal they are written only if they are text without
    /// control characters, or with `force`.
    static func put(raw bytes: [UInt8], force: Bool) throws {
        if !force, isatty(STDOUT_FILENO) == 1 {
            let text = String(validating: bytes, as: UTF8.self)
            guard let text, Shown(lines: text).text == text else {
                throw ToolFailure.usage(
                    "the value contains bytes that are not text or that control a terminal: "
                        + "redirect the output, or add --force")
            }
        }
        try writeFully(bytes, to: STDOUT_FILENO, named: outputName)
    }

    /// Writes bytes of data to standard output unchanged.
    static func put(raw bytes: RawSpan) throws(SystemCallError) {
        try writeFully(bytes, to: STDOUT_FILENO, named: outputName)
    }
}

/// Standard output and input for library calls, whose errors are `StorageError`.
enum StandardOutput {
    /// Writes whole lines of JSON.
    static func write(json text: RawSpan) throws(StorageError) {
        let text = unsafe text.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        do {
            try Terminal.put(Shown(json: text))
        } catch {
            throw StorageError(.ioFailure, "\(error)")
        }
    }

    /// Writes bytes of data unchanged.
    static func write(_ bytes: RawSpan) throws(StorageError) {
        do { try Terminal.put(raw: bytes) } catch {
            throw StorageError(.ioFailure, error.description)
        }
    }
}
