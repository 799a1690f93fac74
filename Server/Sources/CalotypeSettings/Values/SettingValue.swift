public import CalotypeURLs

/// The value of a setting in the form in which the table handles all settings.
public enum SettingValue: Hashable, Sendable {
  /// On or off.
  case flag(Bool)
  /// A number of something.
  case integer(Int)
  /// A real number, which is finite.
  case real(Double)
  /// A duration.
  case duration(Duration)
  /// A text; empty for none.
  case text(String)
  /// Texts in order.
  case list([String])
  /// Names and values in order.
  case pairs([SettingPair])
  /// Formats in order.
  case formats([RequestedFormat])
  /// A quality, 0 to 100, for each of some formats.
  case qualities([RequestedFormat: Int])
  /// Sequences of bytes, such as keys.
  case bytes([[UInt8]])
  /// Seconds since 1970; `nil` for no moment.
  case time(Int64?)
  /// Moments in order, in seconds since 1970; `nil` for no moment.
  case times([Int64?])
  /// An address to listen at; `nil` for none.
  case address(BindAddress?)
  /// Ranges of addresses.
  case networks([NetworkRange])
  /// A file of lines.
  case lines(LineFile)
}
