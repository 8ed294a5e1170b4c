import ExampleSupport
import Foundation
import Observation
import Shale

/// Every product of Shale beside frameworks that its users import into the same files. No name of Shale hides or
/// clashes with one of theirs; a clash would be a compiler error in one of the files beside this one. The frameworks
/// are stubs, because most of them exist on Apple's platforms only.
///
/// A stub also has the names of the raw engine that only `import ShaleEngine` brings.
@Observable final class Counter {
    var count = 0
}

@main
enum SharedNames {
    static func main() throws {
        let names =
            BesideSwiftUI.names + BesideStoreKit.names + BesideGRDB.names + BesideCombine.names
            + BesideConfiguration.names + BesideEngineNames.names
        expect(names.allSatisfy { !String(reflecting: $0).hasPrefix("Shale") }, "all names are the frameworks' own")
        try withTemporaryDirectory { directory in
            let store = try Store(at: directory + "/store")
            let counters: Store.Namespace = store.common["counters"]
            let counter = Counter()
            counter.count = try counters.int(forKey: "launches", default: 0) + 1
            try counters.set(counter.count, forKey: "launches")
            expect(try counters.int(forKey: "launches") == 1, "the count is stored")
            try store.close()
            try EngineThroughStore.check(at: directory + "/engine")
        }
    }
}
