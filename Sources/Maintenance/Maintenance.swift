/// What is done to a store as a whole, by programs and by the `shale` command: repair, copies, backups.
///
/// All functions work on directories, not on open stores, and may be called from any thread.
public enum Maintenance {}
