package import ShaleBase
import ShalePlatform

/// `preallocate` with the behaviour of different systems.
extension SimulatedWritableFile {
    private static let blockBytes = 4 << 10

    /// False if the simulated system can't reserve.
    package var keepsReservations: Bool { handle.fileSystem.model.reservation != .unsupported }

    package func preallocate(_ size: UInt64) throws(IOFailure) {
        let reservation = handle.fileSystem.model.reservation
        try handle.perform(.preallocate) { file, _ throws(IOFailure) in
            (size: try position(size, 0, "preallocate"), was: file.content.count)
        } end: { file, begun throws(IOFailure) in
            let (size, was) = begun
            guard size > was else { return }
            switch reservation {
            case .unsupported: return
            case .kept, .partial: try extend(file, to: size, inPart: reservation == .partial)
            case .zeroBytes: try fill(file, from: was, to: size)
            case .sizeLast:
                try extend(file, to: size, inPart: false)
                handle.fileSystem.accounting(for: file) { file.resize(to: size) }
            }
        }
    }

    private func extend(_ file: SimulatedFile, to size: Int, inPart: Bool) throws(IOFailure) {
        let growth = size - file.content.count
        guard growth > 0 else { return }
        let space = handle.fileSystem.space
        if growth <= space.room { return handle.fileSystem.accounting(for: file) { file.resize(to: size) } }
        let blocks = space.room / SimulatedWritableFile.blockBytes
        if inPart, blocks > 0 {
            let part = file.content.count + blocks * SimulatedWritableFile.blockBytes
            handle.fileSystem.accounting(for: file) { file.resize(to: part) }
        }
        throw IOFailure("preallocate", handle.label, space.refusal)
    }

    /// Writes a zero to the last byte of every block up to `size`. Below `was`, the size when the call began, a byte
    /// that is not zero stays.
    private func fill(_ file: SimulatedFile, from was: Int, to size: Int) throws(IOFailure) {
        let zero = OwnedBytes(count: 1)
        let first = was / SimulatedWritableFile.blockBytes * SimulatedWritableFile.blockBytes
        for block in stride(from: first, to: size, by: SimulatedWritableFile.blockBytes) {
            let last = min(block + SimulatedWritableFile.blockBytes, size) - 1
            guard last >= was else { continue }
            let space = handle.fileSystem.space
            guard last + 1 - file.content.count <= space.room else {
                throw IOFailure("preallocate", handle.label, space.refusal)
            }
            zero.mutable.zero(0, 1)
            handle.fileSystem.accounting(for: file) { file.write(zero.bytes, at: last) }
        }
    }
}
