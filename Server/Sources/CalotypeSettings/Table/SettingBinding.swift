/// The connection of a row of the table to a property of ``Settings``.
struct SettingBinding: Sendable {
  /// Reads the property.
  let read: @Sendable (Settings) -> SettingValue
  /// Writes the property; returns `false` if the value has another form.
  let write: @Sendable (inout Settings, SettingValue) -> Bool
  /// Takes the property over from other settings.
  let copy: @Sendable (Settings, inout Settings) -> Void
  /// Compares the properties.
  let isEqual: @Sendable (Settings, Settings) -> Bool

  init<Value: SettingConvertible>(_ property: any WritableKeyPath<Settings, Value> & Sendable) {
    read = { $0[keyPath: property].settingValue }
    write = { settings, value in
      guard let value = Value(value) else { return false }
      settings[keyPath: property] = value
      return true
    }
    copy = { $1[keyPath: property] = $0[keyPath: property] }
    isEqual = { $0[keyPath: property] == $1[keyPath: property] }
  }
}
