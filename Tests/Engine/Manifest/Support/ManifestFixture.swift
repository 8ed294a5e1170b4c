import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation

/// A manifest on a simulated disk, whose edits set the clock.
struct ManifestFixture {
    let files = SimulatedFileSystem(seed: 1)
    /// The clock is 1, set by an edit.
    let manifest: Manifest

    init() throws {
        let directory = try files.openDirectory("/store", create: true)
        let identity = CurrentFile(manifestNumber: 0, storeID: StoreID(1, 2), createdMilliseconds: 3)
        manifest = try Manifest.start(
            in: directory, state: StoreState(), identity: identity, fileNumbers: FileNumbers(next: 1),
            makeSegment: ManifestFixture.makeSegment(directory))
        try manifest.commit(ManifestEdit([.clockFloor(1)]))
    }

    private static func makeSegment(_ directory: any Directory) -> (SegmentMetadata) -> Segment {
        let environment = SegmentEnvironment(memoryBudget: 8 << 20, openFileLimit: 8)
        return { Segment(metadata: $0, directory: directory, environment: environment) }
    }

    /// Returns the clock that the manifest on a disk states.
    static func clock(of disk: SimulatedFileSystem) throws -> Int64 {
        let directory = try disk.openDirectory("/store", create: false)
        let current = try CurrentFile.read(in: directory)
        return try Manifest.replay(current, in: directory, makeSegment: makeSegment(directory)).clockFloor
    }

    func clockAfterPowerLoss() throws -> Int64 { try ManifestFixture.clock(of: files.crashClone(.dropAll)) }
}
