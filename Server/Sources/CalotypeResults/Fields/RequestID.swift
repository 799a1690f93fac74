/// The `X-Request-ID` of a request.
public enum RequestID {
  /// Returns whether a value of a client is used: letters, digits, `-` and `_`, at most 128 of them.
  public static func isUsable(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122, 0x2D, 0x5F: true
        default: false
        }
      }
  }

  /// Returns the value of a client if it is usable, else a new one of 21 characters.
  public static func chosen(from client: String?, using random: inout some RandomNumberGenerator) -> String {
    if let client, isUsable(client) { return client }
    let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_".utf8)
    return String(
      decoding: (0..<21).map { _ in alphabet[Int.random(in: 0..<64, using: &random)] }, as: UTF8.self)
  }
}
