import CalotypeSupport

/// Secrets on the command line, which an error about the command line must not repeat.
enum Secrets {
  /// Options with values that may be, or contain, a password.
  private static let options = ["--header", "--user", "--proxy", "--fallback"]

  /// A message of the argument parser without the value that it refuses, if that may be a secret, and without the users
  /// of URLs.
  static func removed(from message: String) -> String {
    var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // The value is quoted as it is, line feeds and quotes included.
    if let end = lines.firstIndex(where: { line in
      options.contains { line.contains("' is invalid for '\($0)") }
    }),
      let start = lines[...end].firstIndex(where: { $0.contains("The value '") }),
      let head = lines[start].firstRange(of: "The value '"),
      let tail = lines[end].ranges(of: "' is invalid for '--").last
    {
      lines[start...end] = [
        lines[start][..<head.lowerBound] + "The value" + lines[end][tail.lowerBound...].dropFirst()
      ]
    }
    return RedactedURL.withoutUsers(lines.joined(separator: "\n"))
  }
}
