import ShaleEngine

/// Standard output and input for library calls, whose errors are `StorageError`.
enum StandardOutput {
    static func write(_ text: RawSpan) throws(StorageError) {
        let bytes = unsafe text.withUnsafeBytes { unsafe [UInt8]($0) }
        do {
            try writeFully(bytes, to: STDOUT_FILENO, named: "standard output")
        } catch {
            throw StorageError(.ioFailure, "\(error)")
        }
    }
}

extension ByteStream {
    /// Returns when there is something to read, or the end; throws when ^C comes before.
    func wait() throws(StorageError) {
        repeat { try Interruption.checkMaking() } while !hasInput(withinMilliseconds: 100)
    }

    /// The next piece; empty at the end.
    func piece() throws(StorageError) -> [UInt8] {
        var buffer: [UInt8] = []
        do {
            _ = try read(into: &buffer)
        } catch {
            throw StorageError(.ioFailure, "\(error)")
        }
        return buffer
    }
}
