/// The store's master key, ready for use. It seals the data keys.
struct MasterKey: Sendable {
    let record: KeyRecord
    let sealer: any ValueSealer
}
