import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@Suite struct NewerFormatTests {
    /// A file of the next version is told from a damaged one, and left alone (contract R-5).
    @Test(arguments: ["CURRENT", "MANIFEST", ".wal", ".seg"])
    func aFileOfANewerVersionIsRefused(_ kind: String) throws {
        let store = try DamagedStore(isClosed: false)
        let disk = store.healthy.crashClone(.keepAll)
        let path = try #require(
            disk.paths().first { $0.contains(kind) && disk.read($0)?.allSatisfy { $0 == 0 } == false })
        var bytes = try #require(disk.read(path))
        let number = UInt64(path.filter { $0.isNumber }) ?? 0
        func seal(_ range: Range<Int>, at offset: Int, place: Int) {
            let sum = OwnedBytes(Array(bytes[range]))
            var value = Checksum.of(sum.bytes, file: number, offset: UInt64(place))
            for i in 0..<8 {
                bytes[offset + i] = UInt8(truncatingIfNeeded: value)
                value >>= 8
            }
        }
        if kind == ".seg" {
            let footer = bytes.count - 96
            bytes[footer + 76] = 2
            seal(footer..<footer + 80, at: footer + 80, place: footer)
        } else {
            bytes[8] = 2
            seal(0..<56, at: 56, place: 0)
        }
        disk.write(path, bytes)
        let before = disk.contents
        let error = #expect(throws: StorageError.self) {
            let engine = try ScriptRun.open(disk)
            _ = try StoreContent(of: engine)
        }
        #expect(error?.code == .newerFormat, "\(String(describing: error))")
        #expect(error?.file.map { path.hasSuffix($0) } == true, "\(String(describing: error))")
        // A segment's version is seen when the segment is read; the others stop the open.
        if kind != ".seg" { #expect(disk.contents == before) }
    }
}
