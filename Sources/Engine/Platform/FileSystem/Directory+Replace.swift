package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Directory {
    /// What the names of files begin with that are not finished: one that is there when nobody writes is what a crash left.
    package static var unfinishedPrefix: String { ".shale-" }

    /// Makes `bytes` the content of the file `name`, mode 0600, durably and as one step: whoever opens the name, at any
    /// moment and after any crash, finds the whole old content or the whole new one. Several writers at a time: the last counts.
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

    /// What led here is the error to report, and not that tidying up failed as well.
    private func removeUnfinished(_ name: String) {
        do throws(IOFailure) { try remove(name) } catch {}
    }

    /// The whole content of a file, nil if it is longer than `limit` bytes.
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
