/// The way in which a record is stored in the log's file. Both ways result in the same bytes, the same survival of a
/// process death and the same failure semantics. They may alternate.
package enum LogRoute {
    /// A store into the mapping, if there is one. The cheapest way for records that are not synced one by one.
    case mapped
    /// A `pwrite`. Cheaper for a record that is synced right away: a sync write-protects the pages that it has cleaned.
    /// The next store into the mapping then faults, and has to notify the other processors.
    case written
}
