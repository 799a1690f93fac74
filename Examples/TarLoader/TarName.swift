/// Names of entries.
enum TarName {
  /// Longest name, in bytes: `PATH_MAX` of Linux.
  static let byteLimit = 4_096

  /// The name without empty and `.` components, so that `./a`, `/a` and `a//` are `a`; `nil` if nothing is left, or if it
  /// has a `..`, which no honest archive contains.
  static func normalized(_ name: [UInt8]) -> [UInt8]? {
    let dot = UInt8(ascii: ".")
    let parts = name.split(separator: UInt8(ascii: "/")).filter { $0 != [dot] }
    guard !parts.isEmpty, !parts.contains([dot, dot]) else { return nil }
    return Array(parts.joined(separator: [UInt8(ascii: "/")]))
  }
}
