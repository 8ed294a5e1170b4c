/// Carries the error of a caller's closure through code that throws only `StorageError`.
///
/// 1. The closure's error is kept, and the code around it sees `.cancelled`. An error of the caller is therefore never
///    taken for an error of the work, such as a full disk that the work tolerates.
/// 2. The work ends at the next call of the closure at the latest: after the first error every call throws `.cancelled`
///    again and does not run the closure.
/// 3. The kept error is what the caller gets, unchanged.
///
/// Used by one thread: closures for progress run on the caller's thread.
package final class CallerError<Failure: Error> {
    private var error: Failure?

    private init() {}

    /// Runs `work` with a form of `body` that throws only `StorageError`.
    ///
    /// - Parameter failure: Converts an error of the work itself.
    package static func relay<Step, R>(
        _ body: @escaping (Step) throws(Failure) -> Void, _ failure: (StorageError) -> Failure,
        through work: (@escaping (Step) throws(StorageError) -> Void) throws(StorageError) -> R
    ) throws(Failure) -> R {
        let caller = CallerError()
        do throws(StorageError) {
            let result = try work { (step) throws(StorageError) in try caller.run(body, step) }
            if caller.error == nil { return result }
        } catch {
            throw caller.error ?? failure(error)
        }
        throw caller.error ?? failure(CallerError.cancelled)
    }

    private func run<Step>(_ body: (Step) throws(Failure) -> Void, _ step: Step) throws(StorageError) {
        guard error == nil else { throw CallerError.cancelled }
        do throws(Failure) {
            try body(step)
        } catch {
            self.error = error
            throw CallerError.cancelled
        }
    }

    private static var cancelled: StorageError { StorageError(.cancelled, "the caller ended the work with an error") }
}
