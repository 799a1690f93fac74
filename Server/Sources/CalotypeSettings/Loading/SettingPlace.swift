/// A place that sets a value.
public enum SettingPlace: Hashable, Sendable, CustomStringConvertible {
  /// Calotype's default.
  case standard
  /// imgproxy's default.
  case imgproxy
  /// A line of a TOML file.
  case file(path: String, line: Int, key: String)
  /// A line of an env file.
  case environmentFile(path: String, line: Int, name: String)
  /// A variable of the environment.
  case variable(String)
  /// An option of the command line.
  case flag(String)
  /// A line of a file that a setting names, 0 for the whole.
  case named(path: String, line: Int)

  /// The place as people look for it: `server.toml:12 security.key`.
  public var description: String {
    switch self {
    case .standard: "default"
    case .imgproxy: "default of imgproxy"
    case .file(let path, let line, let key): "\(path):\(line)" + (key.isEmpty ? "" : " \(key)")
    case .environmentFile(let path, let line, let name): "\(path):\(line)" + (name.isEmpty ? "" : " \(name)")
    case .variable(let name): name
    case .flag(let flag): flag
    case .named(let path, let line): line > 0 ? "\(path):\(line)" : path
    }
  }
}
