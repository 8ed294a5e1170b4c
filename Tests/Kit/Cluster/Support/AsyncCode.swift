import Shale
import Testing

/// Returns the code of the error that `body` throws; `nil` if it throws none.
func code(_ body: () async throws -> Void) async -> StorageError.Code? {
    do {
        try await body()
        return nil
    } catch let error as StorageError {
        return error.code
    } catch {
        Issue.record("another error: \(error)")
        return nil
    }
}
