import ShaleCollections
import TestSupport
import Testing

/// Random histories against a model.
@Suite struct CollectionModelTests {
    @Test func everyHistoryAgreesWithAModel() throws {
        let histories = Ring.choose(commit: 6, nightly: 400, release: 4000)
        let length = 500
        for history in 0..<histories {
            let model = try CollectionModel(seed: Ring.seed &+ UInt64(history))
            try model.run(length)
        }
        Ring.covered(histories * length, "operations of collections against a model")
    }
}
