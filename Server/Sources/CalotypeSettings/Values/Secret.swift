/// A value that no description, reflection or log shows.
///
/// ```swift
/// let token = Secret("correct horse")
/// print(token)                    // ••••
/// send(token.exposed)
/// ```
public struct Secret<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The value. Keep it out of texts that people read.
  public let exposed: Value

  /// Wraps a value.
  public init(_ value: Value) { exposed = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Four dots, for every value.
  public var description: String { SettingText.mask }
  /// Four dots, for every value.
  public var debugDescription: String { SettingText.mask }
  /// Has no children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
