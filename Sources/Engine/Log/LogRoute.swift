/// How a record gets into the log's file. The bytes, what survives the death of the process, and what a failure means are
/// the same, and records of both kinds may follow each other.
package enum LogRoute {
    /// Stored into the mapping, where there is one: the least work for records that nobody syncs one by one.
    case mapped
    /// With a `pwrite`. Less work for a record that is synced right away: a sync write-protects the pages that it has
    /// cleaned, so that the next store into the mapping faults, and has to tell the other processors so.
    case written
}
