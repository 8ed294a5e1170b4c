#if Logging || Metrics || Tracing || ServiceLifecycle
    import ShaleBase
    import ShalePlatform

    /// The task that delivers a store's events as they come, and its figures at intervals. It ends after the streams of
    /// the store have, which is when the store is closed.
    final class StoreWatch: Sendable {
        private let task: Task<Void, Never>
        private let receiver: WatchReceiver

        /// Begins to watch; `nil` if nothing is to be delivered.
        init?(_ store: Store, _ observation: StoreObservation) {
            let receiver = WatchReceiver(store, observation)
            guard receiver.receivesAnything else { return nil }
            self.receiver = receiver
            // Taken here, so that no event is missed once the caller has this object.
            let events = store.engine.events
            let purges = store.purgeEvents
            let (clock, interval) = (observation.clock, max(observation.interval, StoreObservation.intervalMin))
            receiver.begin()
            // Detached: the task outlives the context of the caller who opens the store.
            task = Task.detached {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask {
                        async let work: Void = StoreWatch.deliver(events) { receiver.receive($0) }
                        await StoreWatch.deliver(purges) { receiver.receive($0) }
                        await work
                    }
                    group.addTask { await StoreWatch.sample(receiver, every: interval, of: clock) }
                    // The streams end with the store, the samples only by cancellation.
                    await group.next()
                    group.cancelAll()
                }
                await receiver.end()
            }
        }

        func cancel() { task.cancel() }

        /// Takes a sample beside those at intervals.
        nonisolated(nonsending) func sample() async { await receiver.sample() }

        /// Returns when everything has been delivered.
        nonisolated(nonsending) func finish() async { await task.value }

        private static func deliver<Event: Sendable>(
            _ events: AsyncStream<Event>, _ receive: @Sendable (Event) -> Void
        ) async {
            for await event in events { receive(event) }
        }

        private static func sample(
            _ receiver: WatchReceiver, every interval: Duration, of clock: any Clock<Duration>
        ) async {
            while true {
                // A sleep throws only if the task is cancelled, which ends the samples.
                do { try await clock.sleep(for: interval) } catch { return }
                await receiver.sample()
            }
        }
    }

    /// Turns what a watch delivers into lines and metrics. Thread-safe.
    struct WatchReceiver: Sendable {
        private let store: Store
        #if Logging
            private let log: StoreLog?
        #endif
        #if Metrics
            private let metrics: StoreMetrics?
        #endif

        init(_ store: Store, _ observation: StoreObservation) {
            self.store = store
            #if Logging
                log = observation.logger.map {
                    StoreLog($0, store: observation.name, time: store.options.engine.time)
                }
            #endif
            #if Metrics
                metrics = observation.metricsFactory.map { StoreMetrics($0, store: observation.name) }
            #endif
        }

        var receivesAnything: Bool {
            #if Logging
                if log != nil { return true }
            #endif
            #if Metrics
                if metrics != nil { return true }
            #endif
            return false
        }

        func begin() {
            #if Logging
                log?.opened(store.recovery)
            #endif
            #if Metrics
                metrics?.record(store.recovery)
            #endif
        }

        func receive(_ event: Engine.Event) {
            #if Logging
                log?.write(event)
            #endif
            #if Metrics
                metrics?.record(event)
            #endif
        }

        func receive(_ event: PurgeEvent) {
            #if Logging
                log?.write(event)
            #endif
            #if Metrics
                metrics?.record(event)
            #endif
        }

        /// Takes one sample, on a thread that may block.
        nonisolated(nonsending) func sample() async {
            do throws(StorageError) {
                // Runs also if the task is cancelled: the last sample has the totals of closing.
                try await BlockingWork.run(isCancellable: false) { (_) throws(StorageError) in takeSample() }
            } catch {
                // There was no thread. The totals of this interval are in the next sample.
                return
            }
        }

        private func takeSample() {
            #if Logging
                log?.write(store.health)
            #endif
            #if Metrics
                metrics?.record(StoreFigures(store))
            #endif
        }

        /// Takes the last sample.
        nonisolated(nonsending) func end() async {
            await sample()
            #if Metrics
                metrics?.end()
            #endif
            #if Logging
                log?.ended(isClosed: !store.isOpenInProcess)
            #endif
        }
    }
#endif
