import CalotypeSupport

/// Removes secrets on the command line from error messages about it.
enum Secrets {
  /// Options whose values may be, or contain, a password.
  private static let options = ["--header", "--user", "--proxy", "--fallback"]

  /// Returns a message of the argument parser without a rejected value that may be a secret, and without
  /// the users of URLs.
  static func removed(from message: String) -> String {
    var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // The value is quoted verbatim, line feeds and quotes included.
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
