/// Something wrong, or worth knowing, about settings: its place, the value, the rule, and a remedy.
///
/// Values of secrets, and of names that are not known, are never part of it.
public struct SettingsProblem: Hashable, Sendable, CustomStringConvertible {
  /// The kind of a problem, whose names stay the same.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// A value that its setting cannot have.
    case invalidValue
    /// A line of a file that cannot be read.
    case malformedFile
    /// A file that cannot be read at all.
    case unreadableFile
    /// A file with secrets that others may change or read.
    case exposedFile
    /// A variable with a prefix of ours or imgproxy's, and no known name.
    case unknownVariable
    /// A key that no table of the TOML file has.
    case unknownKey
    /// An option of the command line of no known name, or without its value.
    case unknownFlag
    /// A secret on the command line, where every process sees it.
    case secretFlag
    /// A setting in a place where it is not read.
    case misplaced
    /// A setting of imgproxy that is not supported.
    case unsupported
    /// A setting that has no effect yet.
    case planned
    /// An old name, or a setting without an effect.
    case deprecated
    /// Two names of one setting with different values.
    case conflict
    /// Settings that contradict each other.
    case contradiction
    /// No keys, and no word that none are wanted.
    case missingKeys
    /// A preset that cannot be applied.
    case invalidPreset
    /// A setting that weakens the server.
    case risk
    /// A default that `--imgproxy-defaults` changed.
    case imgproxyDefault
    /// A default that differs from imgproxy's, for those whose other settings are imgproxy's.
    case differentDefault
    /// More problems than are listed.
    case tooMany
  }

  /// How much a problem matters.
  public enum Severity: Int, Hashable, Sendable, Comparable {
    /// Worth knowing.
    case note
    /// The server starts.
    case warning
    /// The server does not start.
    case error

    /// The order of weight.
    public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
  }

  /// The kind.
  public let code: Code
  /// How much it matters.
  public internal(set) var severity: Severity
  /// Where it is.
  public let place: SettingPlace?
  /// The value, shortened; `nil` if it is secret, or there is none.
  public let value: String?
  /// The rule that is broken, or the fact.
  public let rule: String
  /// The remedy; empty if none is needed.
  public let remedy: String

  init(
    _ code: Code, _ severity: Severity = .error, at place: SettingPlace? = nil, value: String? = nil,
    _ rule: String, remedy: String = ""
  ) {
    self.code = code
    self.severity = severity
    self.place = place
    self.value = value.map(SettingText.shortened)
    self.rule = rule
    self.remedy = remedy
  }

  /// Place, value, rule and remedy in one line.
  public var description: String {
    var text = place.map { "\($0)" } ?? ""
    if let value { text += " = \(value)" }
    if !text.isEmpty { text += ": " }
    return text + rule + (remedy.isEmpty ? "" : "; \(remedy)")
  }

  /// Whether `--strict-env` makes it an error.
  var isStrict: Bool {
    switch code {
    case .unknownVariable, .unsupported, .planned, .deprecated, .conflict: true
    default: false
    }
  }
}
