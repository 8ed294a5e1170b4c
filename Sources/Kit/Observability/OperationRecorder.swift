#if Logging || Metrics || Tracing || ServiceLifecycle
    import ShaleBase
    import ShalePlatform

    #if Logging
        import Logging
    #endif
    #if Metrics
        import CoreMetrics
    #endif
    #if Tracing
        import Tracing
    #endif

    /// Records operations as they run: a span around each, its duration afterwards, and a line about a failure.
    /// Thread-safe.
    struct OperationRecorder: Sendable {
        private let observation: StoreObservation
        private let time: any TimeSource
        #if Metrics
            private let timers: OperationTimers?
        #endif

        /// Makes a recorder for a store with this source of time.
        init(_ observation: StoreObservation, time: any TimeSource) {
            self.observation = observation
            self.time = time
            #if Metrics
                timers = observation.metricsFactory.map { OperationTimers($0, store: observation.name) }
            #endif
        }

        func run<R, Failure: Error>(
            _ operation: StoreOperation, _ body: () throws(Failure) -> R
        ) throws(Failure) -> R {
            let start = time.monotonicNanoseconds
            #if Tracing
                let span = span(of: operation)
                let result = InstrumentationContext.$current.withValue(span?.context ?? .current) {
                    OperationRecorder.result(body)
                }
                end(span, result)
            #else
                let result = OperationRecorder.result(body)
            #endif
            record(operation, since: start, result)
            return try result.get()
        }

        nonisolated(nonsending) func run<R, Failure: Error>(
            _ operation: StoreOperation, _ body: nonisolated(nonsending) () async throws(Failure) -> R
        ) async throws(Failure) -> R {
            let start = time.monotonicNanoseconds
            #if Tracing
                let span = span(of: operation)
                // A function, because a closure would leave the caller's actor.
                nonisolated(nonsending) func bodyResult() async -> Result<R, Failure> {
                    await OperationRecorder.result(body)
                }
                let result = await InstrumentationContext.$current.withValue(
                    span?.context ?? .current, operation: bodyResult)
                end(span, result)
            #else
                let result = await OperationRecorder.result(body)
            #endif
            record(operation, since: start, result)
            return try result.get()
        }

        private static func result<R, Failure: Error>(_ body: () throws(Failure) -> R) -> Result<R, Failure> {
            do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
        }

        private nonisolated(nonsending) static func result<R, Failure: Error>(
            _ body: nonisolated(nonsending) () async throws(Failure) -> R
        ) async -> Result<R, Failure> {
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }

        private func record<R, Failure: Error>(
            _ operation: StoreOperation, since start: UInt64, _ result: Result<R, Failure>
        ) {
            #if Metrics
                timers?.record(
                    operation, OperationOutcome(result), nanoseconds: time.monotonicNanoseconds &- start)
            #endif
            #if Logging
                guard case .failure(let error) = result, let logger = observation.logger else { return }
                logger.debug(
                    "operation failed",
                    metadata: [
                        "shale.store": "\(observation.name)", "shale.operation": "\(operation.rawValue)",
                        "shale.error.code": "\(OperationOutcome(error).name)",
                    ])
            #endif
        }
    }

    /// The outcome of an operation, as metrics and spans name it.
    struct OperationOutcome: Hashable, Sendable {
        static let success = OperationOutcome(name: "ok")

        let name: String

        private init(name: String) { self.name = name }

        init<R, Failure: Error>(_ result: Result<R, Failure>) {
            switch result {
            case .success: self = .success
            case .failure(let error): self.init(error)
            }
        }

        /// The code of an error of the store. The errors of callers share a name, because their number has no bound.
        init(_ error: any Error) { name = (error as? StorageError)?.code.rawValue ?? "caller" }
    }

    #if Tracing
        extension OperationRecorder {
            private func span(of operation: StoreOperation) -> (any Tracing.Span)? {
                guard let tracer = observation.tracer else { return nil }
                let span: any Tracing.Span = tracer.startSpan("shale.\(operation.rawValue)")
                span.updateAttributes { attributes in
                    attributes["db.system.name"] = "shale"
                    attributes["db.namespace"] = observation.name
                    attributes["db.operation.name"] = operation.rawValue
                }
                return span
            }

            /// Ends a span. The error of a body gives only its type, because its text may contain values.
            private func end<R, Failure: Error>(_ span: (any Tracing.Span)?, _ result: Result<R, Failure>) {
                guard let span else { return }
                if case .failure(let error) = result {
                    let storageError = error as? StorageError
                    span.attributes["error.type"] =
                        storageError?.code.rawValue ?? String(reflecting: type(of: error as Any))
                    if let storageError { span.recordError(storageError.withoutValues) }
                    span.setStatus(SpanStatus(code: .error))
                }
                span.end()
            }
        }
    #endif
#endif
