#if Encryption
    /// A property of a struct, or of anything else, that is a value of a ``DataBox``. A struct can't tell its properties which
    /// one it is, so key and compartment are said:
    ///
    /// ```swift
    /// struct Settings {
    ///     @BoxValue("theme", in: App.box.compartment("Settings", .standard)) var theme = "light"
    ///     @BoxValue("token", in: App.box.compartment("Settings", .vault, per: App.box.store.currentUser)) var token: String?
    /// }
    /// ```
    /// The compartment is asked for at each use, so the user may change. Any thread may do so: in an application whose types are the main
    /// actor's, `App.box` is a `nonisolated static let`. The value is not in the struct: all copies are one, and
    /// setting it needs no `var`. Otherwise as ``StoredProperty``.
    @propertyWrapper
    public struct BoxValue<Value: Sendable>: Sendable {
        private let key: String
        private let compartment: @Sendable () -> Compartment
        private let coding: StoredCoding<Value>

        /// A property that is `nil` while nothing is stored.
        public init<Wrapped: Codable & Sendable>(
            _ key: String, in compartment: @autoclosure @escaping @Sendable () -> Compartment
        ) where Value == Wrapped? {
            self.key = key
            self.compartment = compartment
            coding = .optional()
        }

        /// A property that reads as its initial value while nothing is stored.
        public init(
            wrappedValue: Value, _ key: String, in compartment: @autoclosure @escaping @Sendable () -> Compartment
        ) where Value: Codable {
            self.key = key
            self.compartment = compartment
            coding = .value(default: wrappedValue)
        }

        /// The value, with its errors.
        public var projectedValue: StoredAccess<Value> {
            StoredAccess(compartment: compartment(), key: .success(key), coding: coding)
        }

        /// The value; reading and writing are those of ``StoredProperty``.
        public var wrappedValue: Value {
            get { projectedValue.valueOrDefault }
            nonmutating set { projectedValue.setOrNote(newValue) }
        }
    }
#endif
