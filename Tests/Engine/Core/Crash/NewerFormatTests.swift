import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@Suite struct NewerFormatTests {
    /// A file of the next version is distinguished from a damaged one, and not changed.
    @Test(arguments: ["CURRENT", "MANIFEST", ".wal", ".seg"])
    func aFileOfANewerVersionIsRefused(_ kind: String) throws {
        let store = try DamagedStore(isClosed: false)
        let disk = store.healthy.crashClone(.keepAll)
        let path = try #require(
            disk.paths().first { $0.contains(kind) && disk.read($0)?.allSatisfy { $0 == 0 } == false })
        var bytes = try #require(disk.read(path))
        let number = UInt64(path.filter { $0.isNumber }) ?? 0
        if kind == ".seg" {
            let footer = bytes.count - 96
            bytes[footer + 76] = 3
            bytes.seal(footer..<footer + 80, at: footer + 80, file: number)
        } else {
            bytes[8] = 2
            bytes.seal(0..<56, at: 56, file: number)
        }
        disk.write(path, bytes)
        let before = disk.contents
        let error = #expect(throws: StorageError.self) {
            let engine = try ScriptRun.open(disk)
            _ = try StoreContent(of: engine)
        }
        #expect(error?.code == .newerFormat, "\(String(describing: error))")
        #expect(error?.file.map { path.hasSuffix($0) } == true, "\(String(describing: error))")
        // A segment's version is detected when the segment is read; the other files stop the open.
        if kind != ".seg" { #expect(disk.contents == before) }
    }
}
