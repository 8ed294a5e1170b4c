/// An import in another process that is killed half way.
struct KilledImport {
    /// The acknowledgements of the dead process: all lines of its pipe, including those not read before its death.
    let acknowledged: AcknowledgedPrefix
    /// The time from its start to its death.
    let duration: Duration

    /// Starts the command with `arguments`, an import that acknowledges on standard output, and kills it with SIGKILL
    /// as soon as it has acknowledged `batches`. Returns `nil` if it ended by itself before.
    static func run(_ executable: String, _ arguments: [String], killAfter batches: Int) throws -> KilledImport? {
        let clock = ContinuousClock()
        let start = clock.now
        let child = try ChildProcess(executable, arguments)
        var last = AcknowledgedPrefix()
        var isKilled = false
        var duration = Duration.zero
        while let line = try child.readLine() {
            guard let prefix = AcknowledgedPrefix(line: line[...]) else {
                throw ToolFailure.inputOutput("the importing process printed \"\(line)\"")
            }
            last = prefix
            if !isKilled, last.batches >= batches {
                child.kill()
                duration = clock.now - start
                isKilled = true
            }
        }
        switch try child.wait() {
        case .killed(signal: SIGKILL): return KilledImport(acknowledged: last, duration: duration)
        case .exited(0): return nil
        case let ending: throw ToolFailure.inputOutput("the importing process ended with \(ending)")
        }
    }
}
