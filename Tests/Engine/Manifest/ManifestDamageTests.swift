import ShaleBase
import ShaleManifest
import ShaleSimulation
import TestSupport
import Testing

/// Contract X-2: the mark behind the last edit proves that the edit was synced. So damage to the edit does not count as
/// a torn tail, which would undo the edit.
@Suite struct ManifestDamageTests {
    @Test func noByteOfTheLastEditIsDamagedUnnoticed() throws {
        let fixture = try ManifestFixture()
        try fixture.manifest.commit(ManifestEdit([.clockFloor(2)]))
        let path = "/store/" + fixture.manifest.fileName
        let bytes = try #require(fixture.files.read(path))
        let edit = try #require(LogImage(bytes).chunks.last { $0.endsRecord }).range
        for offset in edit {
            let disk = fixture.files.crashClone(.keepAll)
            disk.corrupt(path, at: offset, xor: 1 << UInt8(offset % 8))
            let error = #expect(throws: StorageError.self, "offset \(offset)") { try ManifestFixture.clock(of: disk) }
            #expect(error?.code == .corruption && error?.file == fixture.manifest.fileName, "offset \(offset)")
            #expect(error?.offset == UInt64(edit.lowerBound), "offset \(offset)")
        }
    }
}
