import Shale
import ShaleCollections
import ShaleEncryption
import ShaleEngine
import ShaleFoundation
import ShaleInspection
import ShaleKit
import ShaleMaintenance
import StubStoreKit

/// Uses the names of StoreKit unqualified in a file that imports every product of Shale.
enum BesideStoreKit {
    static let names: [Any.Type] = [
        AppStore.self, Message.self, Product.self, StoreKitError.self, Storefront.self, Transaction.self,
        VerificationResult.self,
    ]
}
