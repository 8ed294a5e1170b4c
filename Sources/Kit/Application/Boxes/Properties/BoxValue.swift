#if Encryption
    /// A property of a struct, or of any other type, that is a value of a ``DataBox``.
    ///
    /// A struct can't pass itself to its properties, so key and compartment are given:
    ///
    /// ```swift
    /// struct Settings {
    ///     @BoxValue("theme", in: App.box.compartment("Settings", .standard)) var theme = "light"
    ///     @BoxValue("token", in: App.box.compartment("Settings", .vault, per: App.box.store.currentUser))
    ///     var token: String?
    /// }
    /// ```
    /// The compartment is evaluated at each use, so the user may change. Any thread may evaluate it: in an application
    /// whose types are isolated to the main actor, make `App.box` a `nonisolated static let`. The value is not stored
    /// in the struct: all copies share it, and setting it does not need a `var`. In all other respects it behaves as
    /// ``StoredProperty``.
    @propertyWrapper
    public struct BoxValue<Value: Sendable>: Sendable {
        private let key: String
        private let compartment: @Sendable () -> Compartment
        private let coding: StoredCoding<Value>

        /// Makes a property that is `nil` while nothing is stored.
        public init<Wrapped: Codable & Sendable>(
            _ key: String, in compartment: @autoclosure @escaping @Sendable () -> Compartment
        ) where Value == Wrapped? {
            self.key = key
            self.compartment = compartment
            coding = .optional()
        }

        /// Makes a property that reads as its initial value while nothing is stored.
        public init(
            wrappedValue: Value, _ key: String, in compartment: @autoclosure @escaping @Sendable () -> Compartment
        ) where Value: Codable {
            self.key = key
            self.compartment = compartment
            coding = .value(default: wrappedValue)
        }

        /// Access to the value with its errors.
        public var projectedValue: StoredAccess<Value> {
            StoredAccess(compartment: compartment(), key: .success(key), coding: coding)
        }

        /// The value. Reads and writes behave as those of ``StoredProperty``.
        public var wrappedValue: Value {
            get { projectedValue.valueOrDefault }
            nonmutating set { projectedValue.setOrNote(newValue) }
        }
    }
#endif
