// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stand-ins for the declarations of SwiftUI that MiniORM and its pages use, for systems without SwiftUI.
// scripts/check-snippets compiles the pages with this file, and FetchTests runs `Fetch` with it.

@_exported public import Observation

public protocol DynamicProperty { mutating func update() }
extension DynamicProperty { public mutating func update() {} }

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View { public var body: Never { return fatalError() } }
public protocol Leaf: View where Body == Never {}
extension Leaf { public var body: Never { return fatalError() } }

public struct EmptyView: Leaf {}
public struct Group<each Content: View>: Leaf {}
extension Optional: View where Wrapped: View {
  public var body: Never { return fatalError() }
}

@resultBuilder public enum ViewBuilder {
  public static func buildBlock<each Content: View>(_ content: repeat each Content)
    -> Group<repeat each Content>
  { Group() }
  public static func buildOptional<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<First: View, Second: View>(first: First) -> Group<First, Second> {
    Group()
  }
  public static func buildEither<First: View, Second: View>(second: Second) -> Group<First, Second>
  {
    Group()
  }
}

public struct Text: Leaf {
  public init(_ text: some StringProtocol) {}
}

public struct Button: Leaf {
  public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
}

public struct TextField: Leaf {
  public init(_ title: some StringProtocol, text: Binding<String>) {}
}

public struct List<Content>: Leaf {
  public init<Data: RandomAccessCollection>(
    _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Content
  ) where Data.Element: Identifiable {}
  public init(@ViewBuilder content: () -> Content) {}
}

public struct ForEach<Content>: Leaf {
  public init<Data: RandomAccessCollection>(
    _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) where Data.Element: Identifiable {}
  public init<Data: RandomAccessCollection, ID: Hashable>(
    _ data: Data, id: KeyPath<Data.Element, ID>,
    @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {}
}

public struct Section<Content>: Leaf {
  public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {}
}

extension View {
  public func task(
    priority: TaskPriority = .userInitiated, _ action: @escaping @Sendable () async -> Void
  ) -> some View { self }
  public func task<ID: Equatable>(
    id: ID, priority: TaskPriority = .userInitiated, _ action: @escaping @Sendable () async -> Void
  ) -> some View { self }
  public func searchable(text: Binding<String>) -> some View { self }
  public func environment<Value>(
    _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
  ) -> some View { self }
}

@propertyWrapper public struct Binding<Value> {
  init(_: Void) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
}

/// The states of a single view: a state that is created again keeps its first value, as in SwiftUI.
@propertyWrapper public struct State<Value>: DynamicProperty {
  final class Box {
    var value: Value
    init(_ value: Value) { self.value = value }
  }
  private let box: Box

  public init(wrappedValue: Value) {
    box = states[ObjectIdentifier(Box.self)] as? Box ?? Box(wrappedValue)
    states[ObjectIdentifier(Box.self)] = box
  }
  public init() where Value: ExpressibleByNilLiteral { self.init(wrappedValue: nil) }
  public var wrappedValue: Value {
    get { box.value }
    nonmutating set { box.value = newValue }
  }
  public var projectedValue: Binding<Value> { Binding(()) }
}
nonisolated(unsafe) private var states: [ObjectIdentifier: AnyObject] = [:]

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  nonisolated(unsafe) static var current = EnvironmentValues()
  private var values: [ObjectIdentifier: Any] = [:]

  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
  private let keyPath: KeyPath<EnvironmentValues, Value>
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
  public var wrappedValue: Value { EnvironmentValues.current[keyPath: keyPath] }
}

public struct Animation: Equatable, Sendable {
  nonisolated(unsafe) static var last: Animation?
  public static let `default` = Animation()
}

public func withAnimation<Result>(
  _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result {
  Animation.last = animation
  return try body()
}
