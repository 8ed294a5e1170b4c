import Synchronization

/// Where the command's words go: data to standard output, everything else to standard error. Nothing but ``Shown``
/// gets there, and raw bytes only by ``put(raw:force:)``.
enum Terminal {
    private static let outputName = "standard output"
    private static let colorMode = Mutex(ColorMode.auto)

    /// What `--color` says; before anything is written.
    static func use(_ mode: ColorMode) { colorMode.withLock { $0 = mode } }

    /// Whether standard error can be redrawn.
    static let isInteractive = isScreen(STDERR_FILENO)

    /// Whether standard output can be redrawn.
    static var isOutputInteractive: Bool { isScreen(STDOUT_FILENO) }

    /// A terminal, and not a dumb one.
    private static func isScreen(_ descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1, let kind = environment("TERM") else { return false }
        return kind != "dumb"
    }

    /// Whether progress and messages are coloured.
    static var hasColor: Bool { hasColor(STDERR_FILENO) }

    /// By itself, colour needs a terminal and no NO_COLOR (no-color.org: any value that is not empty).
    static func hasColor(_ descriptor: Int32) -> Bool {
        switch colorMode.withLock({ $0 }) {
        case .always: true
        case .never: false
        case .auto: isScreen(descriptor) && (environment("NO_COLOR") ?? "").isEmpty
        }
    }

    /// A heading in data for people.
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

    /// A line on standard error.
    static func note(_ text: Shown) { emit(text + "\n") }

    /// Text on standard error. That nobody can read it any more is no reason to stop working, so failure is not an
    /// error.
    static func emit(_ text: Shown) {
        let bytes = Array(text.text.utf8)
        unsafe bytes.withUnsafeBytes { unsafe _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Data on standard output, collected into large writes.
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

    /// A line on standard output.
    static func print(_ text: Shown) throws { try put(text + "\n") }

    /// Text on standard output.
    static func put(_ text: Shown) throws {
        try writeFully(Array(text.text.utf8), to: STDOUT_FILENO, named: outputName)
    }

    /// Bytes of data on standard output as they are, for whoever asked for them. A terminal gets them only if they
    /// are text without controls, or with `force`.
    static func put(raw bytes: [UInt8], force: Bool) throws {
        if !force, isatty(STDOUT_FILENO) == 1 {
            let text = String(validating: bytes, as: UTF8.self)
            guard let text, Shown(lines: text).text == text else {
                throw ToolFailure.usage(
                    "the value has bytes that are no text or that a terminal obeys: redirect them, or add --force")
            }
        }
        try writeFully(bytes, to: STDOUT_FILENO, named: outputName)
    }
}
