import Shale
import ShaleCollections
import ShaleEncryption
import ShaleEngine
import ShaleFoundation
import ShaleInspection
import ShaleKit
import ShaleMaintenance
import StubCombine

/// Uses the names of Combine unqualified in a file that imports every product of Shale.
enum BesideCombine {
    static let names: [Any.Type] = [
        AnyCancellable.self, Cancellable.self, Deferred.self, Empty.self, Fail.self, Future.self, Just.self,
        Published.self, Publishers.self, Record.self, Scheduler.self, Subject.self, Subscribers.self, Subscription.self,
    ]
}
