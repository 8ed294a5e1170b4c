import Foundation
import ShaleEngine
import Testing

/// A store on disk for one test. Use `defer { store.remove() }`.
struct InspectedStore {
    let path = FileManager.default.temporaryDirectory.path + "/shale-inspected-\(UUID().uuidString)"

    func open(_ adjust: (inout Engine.Options) -> Void = { _ in }) throws -> Engine {
        var options = Engine.Options()
        // Small, so that there are several blocks and segments.
        options.memtableBytes = 256 << 10
        options.blockBytes = 1 << 10
        adjust(&options)
        return try Engine.open(at: path, options: options)
    }

    func remove() {
        do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record("\(error)") }
    }

    /// Changes the byte at `offset` of a file.
    func damage(_ file: String, at offset: Int) throws {
        let url = URL(fileURLWithPath: path + "/" + file)
        var bytes = try Data(contentsOf: url)
        bytes[offset] ^= 0x40
        try bytes.write(to: url)
    }

    /// Returns a copy of the store in its present state, because the running engine changes its own files.
    func copied() throws -> InspectedStore {
        var copy = InspectedStore()
        for _ in 0..<10 {
            do {
                try FileManager.default.copyItem(atPath: path, toPath: copy.path)
                return copy
            } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
                // The engine removed a file during the copy.
                if FileManager.default.fileExists(atPath: copy.path) { copy.remove() }
                copy = InspectedStore()
            }
        }
        throw CocoaError(.fileReadUnknown)
    }

    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            files[name] = FileManager.default.contents(atPath: path + "/" + name)
        }
        return files
    }
}

extension Engine {
    func write(_ fill: (inout WriteBatch) throws(StorageError) -> Void) throws(StorageError) {
        var batch = WriteBatch()
        try fill(&batch)
        try write(batch)
    }
}
