/// The store's master key in use: it seals the data keys.
struct MasterKey: Sendable {
    let record: KeyRecord
    let sealer: any ValueSealer
}
