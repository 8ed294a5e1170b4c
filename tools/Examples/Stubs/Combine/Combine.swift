// The declarations of Combine that ShaleKit uses, with Apple's signatures. `tools/adapters` compiles ShaleKit against
// them where Combine does not exist.

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
    func receive<S>(subscriber: S) where S: Subscriber, Failure == S.Failure, Output == S.Input
}

public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    associatedtype Input
    associatedtype Failure: Error
    func receive(subscription: any Subscription)
    func receive(_ input: Input) -> Subscribers.Demand
    func receive(completion: Subscribers.Completion<Failure>)
}

public protocol Cancellable { func cancel() }

public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    func request(_ demand: Subscribers.Demand)
}

public protocol CustomCombineIdentifierConvertible { var combineIdentifier: CombineIdentifier { get } }

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}

public struct CombineIdentifier: Hashable {
    private let id: ObjectIdentifier
    public init(_ object: AnyObject) { id = ObjectIdentifier(object) }
}

public enum Subscribers {
    public struct Demand: Equatable, Sendable {
        /// The number of values; `nil` without a limit.
        public let max: Int?
        public static let unlimited = Demand(max: nil)
        public static let none = Demand(max: 0)
        public static func max(_ value: Int) -> Demand { Demand(max: value) }
    }

    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

public final class AnyCancellable: Cancellable {
    private let end: () -> Void
    public init(_ cancel: @escaping () -> Void) { end = cancel }
    public func cancel() { end() }
    deinit { end() }
}

extension Publisher {
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        AnyCancellable {}
    }
}
