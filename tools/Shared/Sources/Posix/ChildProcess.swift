/// A program that was started with its standard output connected to a pipe. Its standard input is empty.
///
/// Used by one thread. Call `wait` once, after the pipe was read or abandoned.
public final class ChildProcess {
    public let identifier: pid_t
    /// The reading end of the pipe, open as long as this object exists.
    public let output: Int32
    /// The bytes that were read behind the last line.
    private var unread: [UInt8] = []

    /// Starts `executable`.
    public init(_ executable: String, _ arguments: [String]) throws(SystemCallError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemCallError("pipe", executable) }
        defer { _ = close(ends[1]) }
        // Only the child's copy of the writing end may keep the pipe open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        do throws(SystemCallError) {
            identifier = try Self.spawn(executable, arguments, writingEnd: ends[1])
        } catch {
            _ = close(ends[0])
            throw error
        }
        output = ends[0]
    }

    deinit { _ = close(output) }

    /// Runs `executable` with the descriptors of this process, and waits for its end.
    public static func run(_ executable: String, _ arguments: [String]) throws(SystemCallError) -> Ending {
        try wait(for: try spawn(executable, arguments, writingEnd: nil))
    }

    /// Starts `executable`. With a `writingEnd` its standard output is there and its standard input is empty.
    private static func spawn(
        _ executable: String, _ arguments: [String], writingEnd: Int32?
    ) throws(SystemCallError) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t? = nil
        #else
            var actions = unsafe posix_spawn_file_actions_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        if let writingEnd {
            unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, writingEnd, STDOUT_FILENO)
        }
        // The strings made by strdup live until the child has copied them.
        var strings = unsafe ([executable] + arguments).map { unsafe strdup($0) }
        defer { unsafe strings.forEach { unsafe free($0) } }
        unsafe strings.append(nil)
        var identifier: pid_t = 0
        let status = unsafe posix_spawn(&identifier, executable, &actions, nil, strings, environ)
        guard status == 0 else { throw SystemCallError("posix_spawn", executable, status) }
        return identifier
    }

    /// Returns the child's next line; `nil` once it has closed its output. A last line without an end is left out.
    public func readLine() throws(SystemCallError) -> String? {
        while true {
            if let end = unread.firstIndex(of: 0x0a) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeFirst(end + 1)
                return line
            }
            guard try readMore(into: &unread, upTo: 4096, from: output, named: "process \(identifier)") else {
                return nil
            }
        }
    }

    public enum Ending: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    public func wait() throws(SystemCallError) -> Ending { try Self.wait(for: identifier) }

    private static func wait(for identifier: pid_t) throws(SystemCallError) -> Ending {
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0 {
            guard errno == EINTR else { throw SystemCallError("waitpid", "process \(identifier)") }
        }
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal)
    }

    public func kill() { _ = Self.send(SIGKILL, to: identifier) }

    private static func send(_ signal: Int32, to identifier: pid_t) -> Int32 {
        #if canImport(Darwin)
            Darwin.kill(identifier, signal)
        #elseif canImport(Musl)
            Musl.kill(identifier, signal)
        #else
            Glibc.kill(identifier, signal)
        #endif
    }
}

/// The program that this process runs, for starting it again: on Linux the very file, even if another has its name now.
public var thisProgram: String {
    get throws(SystemCallError) {
        #if canImport(Darwin)
            try executablePath()
        #else
            "/proc/self/exe"
        #endif
    }
}

/// Returns the path of the program that this process runs.
public func executablePath() throws(SystemCallError) -> String {
    #if canImport(Darwin)
        var count: UInt32 = 4096
        var buffer = [CChar](repeating: 0, count: Int(count))
        guard unsafe _NSGetExecutablePath(&buffer, &count) == 0 else {
            throw SystemCallError("_NSGetExecutablePath", "this program", ENAMETOOLONG)
        }
        return unsafe String(cString: buffer)
    #else
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return unsafe readlink("/proc/self/exe", start, bytes.count)
        }
        guard count > 0 else { throw SystemCallError("readlink", "/proc/self/exe") }
        return String(decoding: buffer[..<count], as: UTF8.self)
    #endif
}
