import ShaleBase
import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Memory that simulates a mapped range of a file.
///
/// A process can die between any two stores. A confirmed range therefore reaches the file in two calls: first a random
/// part of its words, then all of it. A crash before the second call leaves what a kill in the middle would leave.
final class SimulatedMapping: FileWindowBacking, @unchecked Sendable {
    private let handle: SimulatedHandle
    private let memory: OwnedBytes

    init(_ handle: SimulatedHandle, offset: Int, count: Int) {
        self.handle = handle
        memory = OwnedBytes(count: count)
        memory.mutable.zero(0, count)
        handle.look { file in _ = file.content.read(into: memory.mutable, at: offset) }
    }

    var bytes: MutableBytes { memory.mutable }

    func stored(_ bytes: Bytes, at offset: UInt64) throws(IOFailure) {
        try perform(at: offset) { file, offset in
            let torn = OwnedBytes(count: bytes.count)
            _ = file.content.read(into: torn.mutable, at: offset)
            let isStored = handle.fileSystem.injector.drawStored(bytes.count / 8 + 1)
            for index in 0..<bytes.count where isStored[index / 8] { torn.mutable[index] = bytes[index] }
            file.write(torn.bytes, at: offset)
        }
        try perform(at: offset) { file, offset in file.write(bytes, at: offset) }
    }

    /// Performs one call. A failed store may have left any bytes, so its bytes stay. Beyond the end of a truncated file
    /// a store fails.
    private func perform(at offset: UInt64, _ body: (SimulatedFile, Int) -> Void) throws(IOFailure) {
        try handle.perform(.write) { file, effect throws(IOFailure) in
            guard Int(offset) < file.content.count else { throw IOFailure("write", handle.label, EIO) }
            handle.fileSystem.accounting(for: file) { body(file, Int(offset)) }
            if case .shortWrite(_, let number) = effect { throw IOFailure("write", handle.label, number) }
        }
    }
}
