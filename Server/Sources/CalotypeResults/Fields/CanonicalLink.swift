/// The `Link` field that names the source as the canonical image: `IMGPROXY_SET_CANONICAL_HEADER`.
public enum CanonicalLink {
  /// Returns the value of the field: `nil` for sources that are not on the web, or longer than 4 KiB.
  public static func value(for source: String) -> String? {
    guard source.hasPrefix("https://") || source.hasPrefix("http://"), source.utf8.count <= 4096 else {
      return nil
    }
    var url = ""
    for byte in source.utf8 {
      // Nothing ends the reference, or the line, early.
      if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "<"), byte != UInt8(ascii: ">"),
        byte != UInt8(ascii: "\"")
      {
        url.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        url += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return "<\(url)>; rel=\"canonical\""
  }
}
