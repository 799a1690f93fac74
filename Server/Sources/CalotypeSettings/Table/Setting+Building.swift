extension Setting {
  /// The row with a secret value, which no flag sets.
  func secret() -> Setting { changed { $0.isSecret = true } }
  /// The row with a default of imgproxy's own.
  func imgproxy(default text: String) -> Setting { changed { $0.imgproxyDefault = text } }
  /// The row with another name.
  func alias(_ alias: SettingAlias) -> Setting { changed { $0.aliases.append(alias) } }
  /// The row of a setting that imgproxy calls differently.
  func imgproxy(name: String) -> Setting { changed { $0.imgproxyName = name } }
  /// The row with a value that may be empty.
  func emptiable() -> Setting { changed { $0.acceptsEmpty = true } }
  /// The row with changes that take effect without a restart.
  func live() -> Setting { changed { $0.isLive = true } }
  /// The row with a value of imgproxy that is not supported.
  func unsupported(_ value: String, _ reason: String) -> Setting {
    changed { $0.unsupportedValues[value] = reason }
  }
  /// The row with fewer places where it may be set.
  func only(_ channels: Channels) -> Setting { changed { $0.channels = channels } }

  private func changed(_ change: (inout Setting) -> Void) -> Setting {
    var row = self
    change(&row)
    return row
  }
}
