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
    let alphabet: StaticString = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
    // Ten characters of each number, and the bits that are left for one more.
    var numbers = (random.next() as UInt64, random.next() as UInt64)
    var rest = numbers.0 >> 60 | (numbers.1 >> 60) << 4
    return String(unsafeUninitializedCapacity: 21) { bytes in
      for index in 0..<21 {
        let bits = index < 10 ? numbers.0 : index < 20 ? numbers.1 : rest
        bytes[index] = alphabet.utf8Start[Int(bits & 63)]
        if index < 10 { numbers.0 >>= 6 } else if index < 20 { numbers.1 >>= 6 } else { rest = 0 }
      }
      return 21
    }
  }
}
