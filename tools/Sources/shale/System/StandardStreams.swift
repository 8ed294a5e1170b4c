import ShaleEngine

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
}

extension ByteStream {
    /// Waits for input or the end of the stream. Throws if ^C comes first.
    func wait() throws(StorageError) {
        repeat { try Interruption.checkMaking() } while !hasInput(withinMilliseconds: 100)
    }

    /// Returns the next piece; empty at the end.
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
