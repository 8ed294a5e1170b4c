import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// This program in another process, with its standard output in a pipe. One thread uses it.
package final class ChildProcess {
    private let identifier: pid_t
    /// The reading end of the pipe.
    package let output: Int32
    private var isWaitedFor = false

    package enum Ending: Equatable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// Starts this program with other arguments.
    package init(_ arguments: [String]) throws {
        let path = CommandLine.arguments[0]
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw IOFailure("pipe", path, errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t? = nil
        #else
            var actions = unsafe posix_spawn_file_actions_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        // The strings made by strdup live until the child has copied them.
        var strings = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe strings.append(nil)
        var started: pid_t = 0
        let status = unsafe posix_spawn(&started, path, &actions, nil, strings, environ)
        unsafe strings.forEach { unsafe free($0) }
        unsafe posix_spawn_file_actions_destroy(&actions)
        _ = close(ends[1])
        identifier = started
        output = ends[0]
        guard status == 0 else { throw IOFailure("posix_spawn", path, status) }
    }

    deinit { _ = close(output) }

    package func kill() {
        #if canImport(Darwin)
            _ = Darwin.kill(identifier, SIGKILL)
        #elseif canImport(Musl)
            _ = Musl.kill(identifier, SIGKILL)
        #else
            _ = Glibc.kill(identifier, SIGKILL)
        #endif
    }

    /// Waits for the end of the process.
    package func wait() throws -> Ending {
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0 {
            guard errno == EINTR else { throw IOFailure("waitpid", "\(identifier)", errno) }
        }
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal)
    }

    /// Returns what arrived through the pipe, after waiting at most `milliseconds`; `nil` at its end.
    package func read(waiting milliseconds: Int32) throws -> [UInt8]? {
        var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, milliseconds) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            #if canImport(Darwin)
                unsafe Darwin.read(output, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                unsafe Musl.read(output, buffer.baseAddress, buffer.count)
            #else
                unsafe Glibc.read(output, buffer.baseAddress, buffer.count)
            #endif
        }
        guard count >= 0 else { throw IOFailure("read", "a pipe", errno) }
        return count == 0 ? nil : Array(bytes[..<count])
    }
}
