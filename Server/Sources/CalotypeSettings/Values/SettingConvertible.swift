public import CalotypeURLs

/// A type of a property of ``Settings``.
public protocol SettingConvertible: Equatable, Sendable {
  /// The value of a setting, or `nil` if it has another form.
  init?(_ value: SettingValue)
  /// The value for the table.
  var settingValue: SettingValue { get }
}

extension Bool: SettingConvertible {
  /// Reads ``SettingValue/flag(_:)``.
  public init?(_ value: SettingValue) {
    guard case .flag(let flag) = value else { return nil }
    self = flag
  }
  /// ``SettingValue/flag(_:)``.
  public var settingValue: SettingValue { .flag(self) }
}

extension Int: SettingConvertible {
  /// Reads ``SettingValue/integer(_:)``.
  public init?(_ value: SettingValue) {
    guard case .integer(let number) = value else { return nil }
    self = number
  }
  /// ``SettingValue/integer(_:)``.
  public var settingValue: SettingValue { .integer(self) }
}

extension Double: SettingConvertible {
  /// Reads ``SettingValue/real(_:)``.
  public init?(_ value: SettingValue) {
    guard case .real(let number) = value else { return nil }
    self = number
  }
  /// ``SettingValue/real(_:)``.
  public var settingValue: SettingValue { .real(self) }
}

extension Duration: SettingConvertible {
  /// Reads ``SettingValue/duration(_:)``.
  public init?(_ value: SettingValue) {
    guard case .duration(let duration) = value else { return nil }
    self = duration
  }
  /// ``SettingValue/duration(_:)``.
  public var settingValue: SettingValue { .duration(self) }
}

extension String: SettingConvertible {
  /// Reads ``SettingValue/text(_:)``.
  public init?(_ value: SettingValue) {
    guard case .text(let text) = value else { return nil }
    self = text
  }
  /// ``SettingValue/text(_:)``.
  public var settingValue: SettingValue { .text(self) }
}

extension LineFile: SettingConvertible {
  /// Reads ``SettingValue/lines(_:)``.
  public init?(_ value: SettingValue) {
    guard case .lines(let file) = value else { return nil }
    self = file
  }
  /// ``SettingValue/lines(_:)``.
  public var settingValue: SettingValue { .lines(self) }
}

extension SettingConvertible where Self: RawRepresentable, RawValue == String {
  /// Reads the name of a case.
  public init?(_ value: SettingValue) {
    guard case .text(let text) = value else { return nil }
    self.init(rawValue: text)
  }
  /// The name of the case.
  public var settingValue: SettingValue { .text(rawValue) }
}

extension Secret: SettingConvertible where Value: SettingConvertible {
  /// Reads the value.
  public init?(_ value: SettingValue) {
    guard let exposed = Value(value) else { return nil }
    self.init(exposed)
  }
  /// The value itself, unmasked.
  public var settingValue: SettingValue { exposed.settingValue }
}

extension Dictionary: SettingConvertible where Key == RequestedFormat, Value == Int {
  /// Reads ``SettingValue/qualities(_:)``.
  public init?(_ value: SettingValue) {
    guard case .qualities(let qualities) = value else { return nil }
    self = qualities
  }
  /// ``SettingValue/qualities(_:)``.
  public var settingValue: SettingValue { .qualities(self) }
}
