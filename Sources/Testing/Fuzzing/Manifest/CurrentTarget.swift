import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSimulation

extension FuzzTarget {
    /// Input: the file CURRENT.
    static let current = FuzzTarget("current", "CURRENT", seeds: CurrentTarget.seeds) { input in
        var file = input
        if file.count >= 64 { file.put(file.checksum(0, 56, file: 0), at: 56) }
        let read: CurrentFile
        do throws(StorageError) {
            read = try CurrentFile.read(in: ReadOnlyDirectory([StoreLayout.current: file]))
        } catch {
            return try requireTyped(error)
        }
        let directory = try SimulatedFileSystem().openDirectory("/store", create: true)
        try read.write(in: directory)
        try require(try CurrentFile.read(in: directory) == read, "CURRENT does not survive being written")
    }
}

private enum CurrentTarget {
    static func seeds() throws -> [[UInt8]] {
        let files = SimulatedFileSystem()
        let directory = try files.openDirectory("/store", create: true)
        let current = CurrentFile(
            manifestNumber: 7, storeID: StoreID(1, 2), createdMilliseconds: 1_700_000_000_000)
        try current.write(in: directory)
        return [files.read("/store/" + StoreLayout.current) ?? []]
    }
}
