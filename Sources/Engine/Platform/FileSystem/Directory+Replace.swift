package import ShaleBase

extension Directory {
    /// The name prefix of unfinished files. If no writer is active, a file with this prefix is left over from a crash.
    package static var unfinishedPrefix: String { ".shale-" }

    /// Replaces the content of the file `name` by `bytes`, atomically and durably, with mode 0600.
    ///
    /// A reader that opens the name, at any time and after any crash, finds the whole old content or the whole new one.
    /// If several writers run at once, the last rename wins.
    package func replace(_ name: String, with bytes: Bytes) throws(IOFailure) {
        let unfinished = Self.unfinishedPrefix + String(SystemRandom().next(), radix: 16)
        let file = try create(unfinished)
        do throws(IOFailure) {
            try file.write(bytes, at: 0)
            try file.sync()
            try file.close()
            try rename(unfinished, to: name, in: self)
        } catch {
            removeUnfinished(unfinished)
            throw error
        }
        if !PlantedBug.isActive(.skipReplacedName) { try sync() }
    }

    /// Ignores a failure to remove: the caller reports the error that led here.
    private func removeUnfinished(_ name: String) {
        do throws(IOFailure) { try remove(name) } catch {}
    }

    /// Returns the whole content of a file; nil if the file is longer than `limit` bytes.
    package func content(of name: String, limit: Int) throws(IOFailure) -> [UInt8]? {
        let file = try open(name)
        defer { file.close() }
        let size = try file.size()
        guard size <= UInt64(limit) else { return nil }
        let memory = OwnedBytes(count: Int(size))
        let count = try file.read(into: memory.mutable, at: 0)
        return memory.bytes.slice(0, count).array()
    }
}
