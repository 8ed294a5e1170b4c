import Foundation
import ShaleEngine
import ShaleInspection
import TestSupport
import Testing

/// Inspecting a store with any changed byte in any file ends with findings or errors, never otherwise.
///
/// A changed segment is always reported.
@Suite struct InspectedDamageTests {
    private let key = Array("key 7".utf8)

    private func filled() throws -> (InspectedStore, NamespaceID) {
        let store = InspectedStore()
        let engine = try store.open()
        let id = try engine.createNamespace(named: Array("name".utf8))
        for number in 0..<40 {
            try engine.write { (batch) throws(StorageError) in
                try batch.put([UInt8](repeating: 7, count: number), forKey: Array("key \(number)".utf8), in: id)
            }
        }
        try engine.flush()
        try engine.write { (batch) throws(StorageError) in try batch.delete(key, in: id) }
        // The engine is not closed, so that the log stays, as after a kill.
        return (store, id)
    }

    /// Inspects everything. An error of a central file counts as much as a finding.
    private func look(_ path: String, _ id: NamespaceID) throws -> [Finding] {
        let inspector = try StoreInspector(at: path)
        var findings: [Finding] = []
        do {
            findings += try inspector.manifest().findings
            findings += try inspector.history(of: key, in: id).findings
        } catch let error as StorageError {
            #expect([.corruption, .newerFormat].contains(error.code), "\(error)")
        }
        for number in try inspector.logNumbers() { findings += try inspector.log(number).findings }
        for number in try inspector.segmentNumbers() {
            findings += inspector.segment(number, verifying: true).findings
        }
        return findings
    }

    @Test func everyChangedByteIsSurvived() throws {
        let (store, id) = try filled()
        defer { store.remove() }
        #expect(try look(store.path, id).isEmpty)
        let step = Ring.choose(commit: 31, nightly: 1, release: 1)
        var changed = 0
        for (file, bytes) in try store.files().sorted(by: { $0.key < $1.key }) {
            // Behind its content a log is zeros.
            let content = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
            for offset in stride(from: changed % step, to: content, by: step) {
                try store.damage(file, at: offset)
                let findings = try look(store.path, id)
                if file.hasPrefix("segments/") {
                    #expect(findings.contains { $0.isDamage && $0.file == file }, "\(file) \(offset)")
                }
                try store.damage(file, at: offset)
                changed += 1
            }
        }
        print("COVERED \(changed) changed bytes inspected")
    }
}
