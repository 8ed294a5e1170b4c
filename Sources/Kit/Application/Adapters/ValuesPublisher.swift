#if canImport(Combine)
    public import Combine
    public import Shale

    extension Store {
        /// A Combine publisher of the values of a key, a prefix or a range: the current one, then the newest one
        /// whenever it has changed. Compiled against stubs of Combine, never run on an Apple platform.
        ///
        /// ```swift
        /// settings.publisher(for: .theme)
        ///     .receive(on: DispatchQueue.main)
        ///     .sink(receiveCompletion: { report($0) }, receiveValue: { apply($0) })
        /// ```
        /// Each subscriber has an observation of its own, which begins with its first demand. A value is read when it
        /// is demanded: a slow subscriber skips values and never misses the last one. Values arrive one at a time, on
        /// threads of the task pool. The publisher finishes when the store is closed, and fails with the first error of
        /// a read.
        public struct ValuesPublisher<Output: Sendable>: Publisher, Sendable {
            public typealias Failure = StorageError

            let values: @Sendable () throws(StorageError) -> Store.Values<Output>

            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == StorageError {
                subscriber.receive(subscription: ValuesSubscription(values, subscriber))
            }
        }
    }

    extension Store.Namespace {
        /// Returns a publisher of the values of a typed key. See `values(for:)`.
        public func publisher<Value>(for key: Key<Value>) -> Store.ValuesPublisher<Value> {
            Store.ValuesPublisher { () throws(StorageError) in try values(for: key) }
        }

        /// Returns a publisher of the values of a key; `nil` while the key is missing. See `values(forKey:as:)`.
        public func publisher<Value: Decodable & Sendable>(
            forKey key: some StoreKey, as type: Value.Type = Value.self
        ) -> Store.ValuesPublisher<Value?> {
            Store.ValuesPublisher { () throws(StorageError) in try values(forKey: key, as: Value.self) }
        }

        /// Returns a publisher of the entries of a prefix, at most `limit`, each time as of one moment. See
        /// `values(prefix:as:limit:reportsExpiry:)`.
        public func publisher<Value: Decodable & Sendable>(
            prefix: some StoreKey, as type: Value.Type = Value.self, limit: Int = 1000, reportsExpiry: Bool = false
        ) -> Store.ValuesPublisher<[(key: EntryKey, value: Value)]> {
            Store.ValuesPublisher { () throws(StorageError) in
                try values(prefix: prefix, as: Value.self, limit: limit, reportsExpiry: reportsExpiry)
            }
        }
    }

    /// The observation of one subscriber.
    private final class ValuesSubscription<Output: Sendable>: Subscription, Sendable {
        private let delivery: PacedDelivery<Output>

        init<S: Subscriber>(
            _ values: @escaping @Sendable () throws(StorageError) -> Store.Values<Output>, _ subscriber: S
        ) where S.Input == Output, S.Failure == StorageError {
            let receiver = Receiver(subscriber)
            delivery = PacedDelivery(values) { value in
                let demand = receiver.receive(value)
                return demand == .unlimited ? nil : demand.max
            } complete: { error in
                receiver.complete(error.map { .failure($0) } ?? .finished)
            }
        }

        func request(_ demand: Subscribers.Demand) { delivery.request(demand.max) }

        func cancel() { delivery.cancel() }
    }

    /// A subscriber, which the delivery calls from one task at a time.
    private final class Receiver<Output>: @unchecked Sendable {
        // `@unchecked`: Combine calls subscribers on any thread, but on one at a time; so does the delivery.
        let receive: (Output) -> Subscribers.Demand
        let complete: (Subscribers.Completion<StorageError>) -> Void

        init<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == StorageError {
            receive = { subscriber.receive($0) }
            complete = { subscriber.receive(completion: $0) }
        }
    }
#endif
