import Foundation
import ShaleEngine
import ShaleInspection
import Testing

@Suite struct InspectionTests {
    private func filled() throws -> (InspectedStore, Engine, NamespaceID) {
        let store = InspectedStore()
        let engine = try store.open()
        let id = try engine.createNamespace(named: Array("name".utf8))
        for number in 0..<300 {
            try engine.write { (batch) throws(StorageError) in
                try batch.put([UInt8](repeating: 7, count: 50), forKey: Array("key \(1000 + number)".utf8), in: id)
            }
        }
        try engine.flush()
        try engine.write { (batch) throws(StorageError) in try batch.delete(Array("key 1000".utf8), in: id) }
        return (store, engine, id)
    }

    @Test func theManifestSaysWhatTheEngineSays() throws {
        let (store, engine, id) = try filled()
        defer { store.remove() }
        let manifest = try StoreInspector(at: store.path).manifest()
        #expect(manifest.findings.isEmpty)
        #expect(manifest.namespaces.map(\.id) == [id])
        #expect(manifest.namespaces.first?.name == Array("name".utf8))
        #expect(manifest.segments.map(\.entries) == [300])
        #expect(manifest.segments.first?.level == 0)
        #expect(manifest.edits.flatMap(\.facts).contains { $0.name == "segmentAdded" && $0.segment?.entries == 300 })
        #expect(manifest.storeID.count == 32)
        try engine.close()
    }

    @Test func aLogShowsItsBatchesAndNothingIsChangedByLooking() throws {
        let (working, engine, id) = try filled()
        defer { working.remove() }
        let store = try working.copied()
        defer { store.remove() }
        let inspector = try StoreInspector(at: store.path)
        let before = try store.files()
        let manifest = try inspector.manifest()
        var operations: [StoredVersion] = []
        let log = try inspector.log(manifest.logFloor) { operations += $0.operations }
        #expect(log.findings.isEmpty && log.hasHeader && log.records == 1)
        #expect(operations.map(\.key) == [Array("key 1000".utf8)])
        #expect(operations.first?.isDelete == true && operations.first?.namespace == id)
        #expect(operations.first?.sequence == 301)
        #expect(try store.files() == before)
        try engine.close()
    }

    @Test func aSegmentShowsPartsBlocksAndEntriesThatAddUp() throws {
        let (store, engine, id) = try filled()
        defer { store.remove() }
        let inspector = try StoreInspector(at: store.path)
        let number = try #require(try inspector.segmentNumbers().first)
        let segment = inspector.segment(number, verifying: true)
        #expect(segment.findings.isEmpty)
        #expect(segment.parts.map(\.name) == ["data", "filter", "index", "directory", "properties", "footer"])
        let facts = try #require(segment.facts)
        #expect(segment.parts.last.map { $0.offset + $0.storedBytes } == facts.fileBytes)
        #expect(segment.blocks.count > 5 && segment.blocks.reduce(0) { $0 + $1.entries } == 300)
        let versions = try segment.blocks.flatMap { try inspector.block($0.number, ofSegment: number) }
        #expect(versions.map(\.key) == (1000..<1300).map { Array("key \($0)".utf8) })
        #expect(versions.allSatisfy { $0.namespace == id && $0.value.count == 50 })
        #expect(throws: StorageError.self) { try inspector.block(segment.blocks.count, ofSegment: number) }
        try engine.close()
    }

    @Test func aSegmentOfFormat2ShowsItsValueCodeAndItsEntries() throws {
        let store = InspectedStore()
        defer { store.remove() }
        let engine = try store.open {
            $0.splitsBlocks = .always
            $0.dictionaryDataBytesMin = 1 << 10
        }
        let id = try engine.createNamespace(named: [1])
        func value(_ number: Int) -> [UInt8] { Array("the value of key \(number) is \(number * 7)".utf8) }
        for number in 1000..<1300 {
            try engine.write { (batch) throws(StorageError) in
                try batch.put(value(number), forKey: Array("key \(number)".utf8), in: id)
            }
        }
        try engine.compact()
        let inspector = try StoreInspector(at: store.path)
        let number = try #require(try inspector.segmentNumbers().last)
        let segment = inspector.segment(number, verifying: true)
        #expect(segment.findings.isEmpty)
        #expect(
            segment.parts.map(\.name)
                == ["data", "value code", "filter", "index", "directory", "properties", "footer"])
        // The last block may be too small to gain.
        #expect(segment.blocks.dropLast().allSatisfy { $0.codec == "valueCode" } && segment.blocks.count > 2)
        #expect(segment.blocks.reduce(0) { $0 + $1.entries } == 300)
        let versions = try segment.blocks.flatMap { try inspector.block($0.number, ofSegment: number) }
        #expect(versions.map(\.value) == (1000..<1300).map(value))
        let history = try inspector.history(of: Array("key 1234".utf8), in: id).locations
        #expect(history.first { $0.state == .visible }?.version.value == value(1234))
        try engine.close()
    }

    @Test func damageIsAFindingThatNamesFileAndOffset() throws {
        let (store, engine, _) = try filled()
        defer { store.remove() }
        try engine.close()
        let inspector = try StoreInspector(at: store.path)
        let number = try #require(try inspector.segmentNumbers().first)
        let sound = inspector.segment(number)
        for part in sound.parts where part.name != "data" {
            let file = StoreInspector.segmentName(number)
            try store.damage(file, at: Int(part.offset))
            let finding = try #require(inspector.segment(number).findings.first, "\(part.name)")
            #expect(finding.kind == .damaged && finding.offset != nil)
            try store.damage(file, at: Int(part.offset))
        }
        #expect(inspector.segment(number).findings.isEmpty)
        #expect(inspector.segment(number + 1000).findings.map(\.kind) == [.missing])
    }

    @Test func aDamagedManifestShowsTheEditsBeforeTheDamage() throws {
        let (store, engine, _) = try filled()
        defer { store.remove() }
        let inspector = try StoreInspector(at: store.path)
        let sound = try inspector.manifest()
        try store.damage(sound.file, at: Int(try #require(sound.edits.last).offset) + 30)
        let damaged = try inspector.manifest()
        #expect(damaged.edits == Array(sound.edits.dropLast()))
        #expect(damaged.findings.map(\.kind) == [.damaged])
        // Restores the byte, so that the engine closes without an error.
        try store.damage(sound.file, at: Int(try #require(sound.edits.last).offset) + 30)
        try engine.close()
    }

    @Test func noStoreIsAnError() throws {
        #expect(throws: StorageError.self) { try StoreInspector(at: "/nonexistent/store") }
    }
}
