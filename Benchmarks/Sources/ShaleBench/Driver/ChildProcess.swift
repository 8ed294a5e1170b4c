#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// This program in another process, with other arguments and its standard output in a pipe.
struct ChildProcess {
    private let id: pid_t
    private let output: Int32

    init(_ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw BenchError.system("pipe", "", errno) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addclose(&actions, ends[0])
        unsafe posix_spawn_file_actions_addclose(&actions, ends[1])
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child = pid_t()
        let status = unsafe posix_spawn(&child, ChildProcess.executable, &actions, nil, &words, environ)
        close(ends[1])
        guard status == 0 else {
            close(ends[0])
            throw BenchError.system("posix_spawn", ChildProcess.executable, status)
        }
        id = child
        output = ends[0]
    }

    /// Returns the child's next line; `nil` if it has closed its output.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Waits for the end of the child and returns its `waitpid` status: 0 on success.
    func wait() -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        close(output)
        return status
    }

    /// Sends SIGKILL and waits for the end of the child.
    func kill() {
        #if canImport(Darwin)
            _ = Darwin.kill(id, SIGKILL)
        #elseif canImport(Musl)
            _ = Musl.kill(id, SIGKILL)
        #else
            _ = Glibc.kill(id, SIGKILL)
        #endif
        _ = wait()
    }

    private static var executable: String {
        #if canImport(Darwin)
            CommandLine.arguments[0]
        #else
            "/proc/self/exe"
        #endif
    }
}
