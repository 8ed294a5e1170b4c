/// A program that was started with its standard output, or another of its descriptors, connected to a pipe.
///
/// Used by one thread. Call `wait` once, after the pipe was read or abandoned.
struct ChildProcess {
    let identifier: pid_t
    /// The reading end of the pipe; the owner closes it.
    let output: Int32

    /// Starts `executable`. In the child, `childDescriptor` is the writing end of the pipe; standard input is empty.
    static func start(
        _ executable: String, _ arguments: [String], pipingFrom childDescriptor: Int32 = STDOUT_FILENO
    ) throws -> ChildProcess {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw ToolFailure.system("pipe", executable) }
        defer { _ = close(ends[1]) }
        // Only the child's copy of the writing end may keep the pipe open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        do {
            let identifier = try spawn(executable, arguments, writingEnd: ends[1], as: childDescriptor)
            return ChildProcess(identifier: identifier, output: ends[0])
        } catch {
            _ = close(ends[0])
            throw error
        }
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], writingEnd: Int32, as childDescriptor: Int32
    ) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t? = nil
        #else
            var actions = unsafe posix_spawn_file_actions_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, writingEnd, childDescriptor)
        // The strings made by strdup live until the child has copied them.
        var strings = unsafe ([executable] + arguments).map { unsafe strdup($0) }
        defer { unsafe strings.forEach { unsafe free($0) } }
        unsafe strings.append(nil)
        var identifier: pid_t = 0
        let status = unsafe posix_spawn(&identifier, executable, &actions, nil, strings, environ)
        guard status == 0 else { throw ToolFailure.system("posix_spawn", executable, status) }
        return identifier
    }

    enum Ending: Equatable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    func wait() throws -> Ending {
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0 {
            guard errno == EINTR else { throw ToolFailure.system("waitpid", "process \(identifier)") }
        }
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal)
    }

    func kill() { _ = Self.send(SIGKILL, to: identifier) }

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

/// Returns the path of the program that this process runs, so that it can start itself again.
func executablePath() throws -> String {
    #if canImport(Darwin)
        var count: UInt32 = 4096
        var buffer = [CChar](repeating: 0, count: Int(count))
        guard unsafe _NSGetExecutablePath(&buffer, &count) == 0 else {
            throw ToolFailure.inputOutput("the path of this program is too long")
        }
        return unsafe String(cString: buffer)
    #else
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return unsafe readlink("/proc/self/exe", start, bytes.count)
        }
        guard count > 0 else { throw ToolFailure.system("readlink", "/proc/self/exe") }
        return String(decoding: buffer[..<count], as: UTF8.self)
    #endif
}
