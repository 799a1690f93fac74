/// A type of which a setting may have none.
public protocol SettingOptional: Equatable, Sendable {
  /// Reads a value; the outer `nil` is for another form.
  static func optional(_ value: SettingValue) -> Self??
  /// The value for the table.
  static func value(_ optional: Self?) -> SettingValue
}

extension Optional: SettingConvertible where Wrapped: SettingOptional {
  /// Reads a value, or none.
  public init?(_ value: SettingValue) {
    guard let optional = Wrapped.optional(value) else { return nil }
    self = optional
  }
  /// The value, or none.
  public var settingValue: SettingValue { Wrapped.value(self) }
}

extension Int64: SettingOptional {
  /// Reads ``SettingValue/time(_:)``.
  public static func optional(_ value: SettingValue) -> Int64?? {
    guard case .time(let time) = value else { return nil }
    return .some(time)
  }
  /// ``SettingValue/time(_:)``.
  public static func value(_ optional: Int64?) -> SettingValue { .time(optional) }
}

extension BindAddress: SettingOptional {
  /// Reads ``SettingValue/address(_:)``.
  public static func optional(_ value: SettingValue) -> BindAddress?? {
    guard case .address(let address) = value else { return nil }
    return .some(address)
  }
  /// ``SettingValue/address(_:)``.
  public static func value(_ optional: BindAddress?) -> SettingValue { .address(optional) }
}
