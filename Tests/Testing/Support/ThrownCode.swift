package import ShaleBase

/// Returns the code of the error that `body` throws; `nil` if it throws none.
package func code<R>(_ body: () throws(StorageError) -> R) -> StorageError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return error.code
    }
}
