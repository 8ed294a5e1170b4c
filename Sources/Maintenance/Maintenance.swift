/// Operations on a whole store, for programs and the `shale` command: verification, repair, dumps, copies, backups.
///
/// The functions may be called from any thread. They take the path of a store's directory, except
/// ``backUp(_:to:options:progress:)``, which takes an open engine. Verifying, dumping and copying also work while the
/// store is open; repairing then throws `.locked`.
public enum Maintenance {}
