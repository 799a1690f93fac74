public import CalotypeURLs

/// A type of the elements of an array, or of an optional, in ``Settings``.
public protocol SettingElement: Equatable, Sendable {
  /// The elements of a setting's value, or `nil` if it has another form.
  static func elements(_ value: SettingValue) -> [Self]?
  /// The value of elements for the table.
  static func value(_ elements: [Self]) -> SettingValue
}

extension Array: SettingConvertible where Element: SettingElement {
  /// Reads the elements.
  public init?(_ value: SettingValue) {
    guard let elements = Element.elements(value) else { return nil }
    self = elements
  }
  /// The elements as one value.
  public var settingValue: SettingValue { Element.value(self) }
}

extension String: SettingElement {
  /// Reads ``SettingValue/list(_:)``.
  public static func elements(_ value: SettingValue) -> [String]? {
    guard case .list(let list) = value else { return nil }
    return list
  }
  /// ``SettingValue/list(_:)``.
  public static func value(_ elements: [String]) -> SettingValue { .list(elements) }
}

extension SettingPair: SettingElement {
  /// Reads ``SettingValue/pairs(_:)``.
  public static func elements(_ value: SettingValue) -> [SettingPair]? {
    guard case .pairs(let pairs) = value else { return nil }
    return pairs
  }
  /// ``SettingValue/pairs(_:)``.
  public static func value(_ elements: [SettingPair]) -> SettingValue { .pairs(elements) }
}

extension RequestedFormat: SettingElement {
  /// Reads ``SettingValue/formats(_:)``.
  public static func elements(_ value: SettingValue) -> [RequestedFormat]? {
    guard case .formats(let formats) = value else { return nil }
    return formats
  }
  /// ``SettingValue/formats(_:)``.
  public static func value(_ elements: [RequestedFormat]) -> SettingValue { .formats(elements) }
}

extension NetworkRange: SettingElement {
  /// Reads ``SettingValue/networks(_:)``.
  public static func elements(_ value: SettingValue) -> [NetworkRange]? {
    guard case .networks(let networks) = value else { return nil }
    return networks
  }
  /// ``SettingValue/networks(_:)``.
  public static func value(_ elements: [NetworkRange]) -> SettingValue { .networks(elements) }
}

extension Secret: SettingElement where Value: SettingElement {
  /// Reads the elements.
  public static func elements(_ value: SettingValue) -> [Secret<Value>]? {
    Value.elements(value)?.map(Secret.init)
  }
  /// The elements themselves, unmasked.
  public static func value(_ elements: [Secret<Value>]) -> SettingValue {
    Value.value(elements.map(\.exposed))
  }
}

extension Array: SettingElement where Element == UInt8 {
  /// Reads ``SettingValue/bytes(_:)``.
  public static func elements(_ value: SettingValue) -> [[UInt8]]? {
    guard case .bytes(let bytes) = value else { return nil }
    return bytes
  }
  /// ``SettingValue/bytes(_:)``.
  public static func value(_ elements: [[UInt8]]) -> SettingValue { .bytes(elements) }
}

extension Optional: SettingElement where Wrapped == Int64 {
  /// Reads ``SettingValue/times(_:)``.
  public static func elements(_ value: SettingValue) -> [Int64?]? {
    guard case .times(let times) = value else { return nil }
    return times
  }
  /// ``SettingValue/times(_:)``.
  public static func value(_ elements: [Int64?]) -> SettingValue { .times(elements) }
}
