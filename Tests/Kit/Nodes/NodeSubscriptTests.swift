import ShaleNodes
import ShaleSimulation
import TestSupport
import Testing

/// Subscripts read and set, and never hide an error.
@Suite struct NodeSubscriptTests {
    private struct Draft: Codable, Equatable { var title: String }

    @Test func aSubscriptSetsAndReadsInEveryBackEnd() throws {
        try NodeFixture().forEach { storage in
            func check(_ storage: some CodableStorage) throws {
                let slot = storage["../a.b"]
                let exists = try slot.exists
                #expect(!exists)
                try storage["../a.b"].set(Draft(title: "tea"))
                let inferred: Draft? = try storage["../a.b"]
                let isThere = try slot.exists
                #expect(inferred == Draft(title: "tea") && isThere)
                #expect(try slot.value(as: Draft.self) == inferred)
                #expect(try storage.keys() == ["../a.b"])
                try slot.set(nil as Draft?)
                #expect(try slot.value(as: Draft.self) == nil)
                try slot.set(1)
                try slot.remove()
                #expect(try storage.keys() == [])
            }
            try check(storage)
        }
    }

    @Test func itsErrorsAreThrown() throws {
        let files = SimulatedFileSystem(seed: 1)
        let storage = try FileStorage(at: "/tree", files)
        try storage["k"].set(1)
        #expect(code { () throws(StorageError) in try storage["k"].value(as: String.self) } == .typeMismatch)
        files.inject(FaultRule(on: .changes, when: .always, repeatsForever: true, .error(28)))
        #expect(code { () throws(StorageError) in try storage["k"].set(2) } == .noSpace)
        #expect(code { () throws(StorageError) in try storage["k"].remove() } == .noSpace)
        files.removeFaultRules()
        #expect(try storage["k"].value(as: Int.self) == 1)
    }
}
