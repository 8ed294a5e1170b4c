#if canImport(SwiftUI)
    public import Shale
    public import SwiftUI

    /// A value of a store as a property of a SwiftUI view. Compiled against stubs of SwiftUI, never run on an Apple
    /// platform.
    ///
    /// ```swift
    /// struct VolumeView: View {
    ///     @StoredState(.volume, in: App.settings) private var volume
    ///
    ///     var body: some View { Slider(value: $volume, in: 0...1) }
    /// }
    /// ```
    /// The view is drawn again after each change of the value. Setting the property or its binding writes to the store.
    /// The value is an ``ObservableValue``, which is made when the view first reads it and lives as long as the view's
    /// identity; its page describes errors and users. The object, with its ``ObservableValue/error``, is the wrapper's
    /// ``observed``: `_volume.observed.error`.
    @MainActor @propertyWrapper
    public struct StoredState<Value: Sendable>: DynamicProperty {
        @State private var holder = ObjectHolder<ObservableValue<Value>>()
        private let key: Key<Value>
        private let place: any NamespacePlace

        /// Makes a property with the name, the default, the format and the options of a typed key.
        public init(_ key: Key<Value>, in place: some NamespacePlace) {
            self.key = key
            self.place = place
        }

        /// Makes a property that reads as its initial value while nothing is stored.
        public init(
            wrappedValue: Value, _ name: String, in place: some NamespacePlace, options: ValueOptions = []
        ) where Value: Codable {
            self.init(Key<Value>(name, default: wrappedValue, options: options), in: place)
        }

        /// Makes a property that is `nil` while nothing is stored.
        public init<Wrapped: Codable & Sendable>(
            _ name: String, in place: some NamespacePlace, options: ValueOptions = []
        ) where Value == Wrapped? {
            self.init(Key<Value>(name, options: options), in: place)
        }

        /// The observed value behind the property.
        public var observed: ObservableValue<Value> {
            holder.object(for: [AnyHashable(key.name), AnyHashable(place)]) {
                ObservableValue(key, in: place)
            }
        }

        public var wrappedValue: Value {
            get { observed.value }
            nonmutating set { observed.value = newValue }
        }

        /// A binding to the value.
        public var projectedValue: Binding<Value> { Bindable(observed).value }
    }

    /// The entries of a prefix as a property of a SwiftUI view, for lists. Compiled against stubs of SwiftUI, never run
    /// on an Apple platform.
    ///
    /// ```swift
    /// struct OrdersView: View {
    ///     @StoredEntries(prefix: "2026-", in: App.orders, as: Order.self) private var orders
    ///
    ///     var body: some View { List(orders) { entry in Text(entry.value.item) } }
    /// }
    /// ```
    /// The entries are an ``ObservableEntries``, which is made when the view first reads them.
    @MainActor @propertyWrapper
    public struct StoredEntries<Value: Decodable & Sendable>: DynamicProperty {
        @State private var holder = ObjectHolder<ObservableEntries<Value>>()
        private let prefix: EntryKey
        private let place: any NamespacePlace
        private let limit: Int
        private let reportsExpiry: Bool

        /// Makes a property of the first `limit` entries whose keys start with `prefix`.
        public init(
            prefix: EntryKey, in place: some NamespacePlace, as type: Value.Type = Value.self, limit: Int = 1000,
            reportsExpiry: Bool = false
        ) {
            self.prefix = prefix
            self.place = place
            self.limit = limit
            self.reportsExpiry = reportsExpiry
        }

        public var wrappedValue: [ObservableEntries<Value>.Entry] { projectedValue.entries }

        /// The observed entries behind the property, with their state and error.
        public var projectedValue: ObservableEntries<Value> {
            holder.object(for: [AnyHashable(prefix), AnyHashable(place), AnyHashable(limit)]) {
                ObservableEntries(
                    prefix: prefix, in: place, as: Value.self, limit: limit, reportsExpiry: reportsExpiry)
            }
        }
    }

    /// Keeps the object of a view's property. SwiftUI makes a view's value often and keeps the first state, so the
    /// object is made when it is first used, and again when the view asks for other content.
    @MainActor
    final class ObjectHolder<Object> {
        private var current: (content: [AnyHashable], object: Object)?

        func object(for content: [AnyHashable], _ make: () -> Object) -> Object {
            if let current, current.content == content { return current.object }
            let object = make()
            current = (content, object)
            return object
        }
    }
#endif
