/// A row of the table: one setting, its names, its values and its place in ``Settings``.
///
/// Loader, help, documentation, samples and tests are made from the rows; none of them knows a setting by itself.
public struct Setting: Sendable {
  /// A place where a setting may be set.
  public struct Channels: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Makes a set of its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The environment, and env files.
    public static let environment = Channels(rawValue: 1)
    /// The TOML file.
    public static let file = Channels(rawValue: 2)
    /// The command line.
    public static let flag = Channels(rawValue: 4)
    /// All of them.
    public static let all: Channels = [.environment, .file, .flag]
  }

  /// The name without a prefix, such as `SIGNATURE_SIZE`.
  public let name: String
  /// The group.
  public internal(set) var group = SettingGroup.server
  /// The values.
  public let kind: SettingKind
  /// The relation to imgproxy.
  public let status: SettingStatus
  /// The meaning in one sentence.
  public let summary: String
  /// imgproxy's name behind `IMGPROXY_`; `nil` if there is none.
  public internal(set) var imgproxyName: String?
  /// Other names that are read.
  public internal(set) var aliases: [SettingAlias] = []
  /// imgproxy's default if it differs, as text.
  public internal(set) var imgproxyDefault: String?
  /// Whether the value must not be seen.
  public internal(set) var isSecret = false
  /// Whether an empty variable is a value instead of none.
  public internal(set) var acceptsEmpty = false
  /// Whether a change takes effect without a restart.
  public internal(set) var isLive = false
  /// Where it may be set.
  public internal(set) var channels = Channels.all
  /// Values of imgproxy that are not supported, in lower case, and the reasons.
  public internal(set) var unsupportedValues: [String: String] = [:]
  let binding: SettingBinding

  init<Value: SettingConvertible>(
    _ name: String, _ property: any WritableKeyPath<Settings, Value> & Sendable, _ kind: SettingKind,
    _ status: SettingStatus, _ summary: String
  ) {
    self.name = name
    self.kind = kind
    self.status = status
    self.summary = summary
    imgproxyName = status == .own ? nil : name
    binding = SettingBinding(property)
  }

  /// The variable of the environment.
  public var variable: String { "CALOTYPE_" + name }
  /// imgproxy's variable; `nil` if there is none.
  public var imgproxyVariable: String? { imgproxyName.map { "IMGPROXY_" + $0 } }
  /// The option of the command line; for a secret, the one that names a file.
  public var flag: String { "--" + Self.dashed(name) + (isSecret ? "-file" : "") }
  /// Whether it changes anything; a warning if it is set, and does not.
  public var hasEffect: Bool { !SettingTable.withoutEffect.contains(name) }
  /// The key in the TOML table of the group.
  public var key: String {
    for prefix in group.prefixes where name.hasPrefix(prefix) {
      return name.dropFirst(prefix.utf8.count).lowercased()
    }
    return name.lowercased()
  }
  /// The key with its table, such as `security.signature_size`.
  public var path: String { "\(group.rawValue).\(key)" }

  /// The value in some settings, unmasked.
  public func value(in settings: Settings) -> SettingValue { binding.read(settings) }

  /// The value in some settings as people may see it: that of a secret is masked.
  public func text(in settings: Settings) -> String {
    let text = SettingWriter(settings).write(value(in: settings), kind)
    return isSecret && !text.isEmpty ? SettingText.mask : text
  }

  /// Whether two settings have the same value, files included.
  public func isEqual(_ left: Settings, _ right: Settings) -> Bool { binding.isEqual(left, right) }

  static func dashed(_ name: String) -> String {
    String(decoding: name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
      .lowercased()
  }
}
