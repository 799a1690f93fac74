import CCurl
import FoundationEssentials

/// A URL as libcurl parses it, so that checks apply to the host that will be connected to.
struct CurlURL {
  /// The URL without user, password and fragment.
  let text: String
  /// In lower case.
  let scheme: String
  /// In lower case, without the brackets of IPv6. Numeric hosts are normalised to dotted quads.
  let host: String
  let port: Int
  let user: String?
  let password: String?
  /// As written in the URL.
  private let reference: String

  var origin: LoadRequest.Origin { LoadRequest.Origin(scheme: scheme, host: host, port: port) }

  /// Why a text is not a URL, in libcurl's words.
  struct Malformed: Error {
    let reason: String
  }

  /// Reads a URL, or a reference to one as redirects have it.
  init(_ reference: String, relativeTo base: String? = nil) throws(Malformed) {
    guard let handle = curl_url() else { throw Malformed(reason: "there is no memory for it") }
    defer { curl_url_cleanup(handle) }
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
    if let base {
      try Self.check(curl_url_set(handle, CURLUPART_URL, base, UInt32(CURLU_NON_SUPPORT_SCHEME)))
    }
    try Self.check(curl_url_set(handle, CURLUPART_URL, reference, flags))
    guard let scheme = Self.part(handle, CURLUPART_SCHEME) else {
      throw Malformed(reason: "it has no scheme")
    }
    guard let host = Self.part(handle, CURLUPART_HOST), !host.isEmpty else {
      throw Malformed(reason: "it names no host")
    }
    // Decoded from escapes, which no name has.
    guard !host.utf8.contains(where: { $0 <= 32 || $0 == 127 || $0 == UInt8(ascii: "%") }) else {
      throw Malformed(reason: "its host holds a space, a control character or %")
    }
    self.scheme = scheme.lowercased()
    self.host = Self.bare(host.lowercased())
    port = Self.part(handle, CURLUPART_PORT, flags: UInt32(CURLU_DEFAULT_PORT)).flatMap { Int($0) } ?? 0
    user = Self.part(handle, CURLUPART_USER, flags: UInt32(CURLU_URLDECODE))
    password = Self.part(handle, CURLUPART_PASSWORD, flags: UInt32(CURLU_URLDECODE))
    if base == nil, user == nil, password == nil, !reference.utf8.contains(UInt8(ascii: "#")) {
      // The URL has no parts to remove, and libcurl will parse it again in the same way.
      text = reference
    } else {
      for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT] {
        try Self.check(curl_url_set(handle, part, nil, 0))
      }
      guard let text = Self.part(handle, CURLUPART_URL) else {
        throw Malformed(reason: "it cannot be put together again")
      }
      self.text = text
    }
    self.reference = reference
  }

  /// The host as written in the text, if the text contains one rather than inheriting it from the base: the part
  /// between `//` and the path, without user and port, by the rules of RFC 3986 alone.
  var writtenHost: String? {
    var reference = reference
    return reference.withUTF8 { bytes in
      // Only a scheme, or nothing, may precede it; two slashes further on are part of a path.
      guard let slash = bytes.firstIndex(where: { "/?#".utf8.contains($0) }),
        bytes[slash...].starts(with: "//".utf8),
        slash == 0 || bytes[slash - 1] == UInt8(ascii: ":")
      else { return nil }
      var authority = bytes[(slash + 2)...].prefix { !"/?#\\".utf8.contains($0) }
      if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
      if authority.first == UInt8(ascii: "["), let bracket = authority.firstIndex(of: UInt8(ascii: "]")) {
        authority = authority[...bracket]
      } else if let colon = authority.lastIndex(of: UInt8(ascii: ":")) {
        authority = authority[..<colon]
      }
      return String(decoding: authority, as: UTF8.self)
    }
  }

  private static func bare(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }

  private static func check(_ code: CURLUcode) throws(Malformed) {
    if code != CURLUE_OK { throw Malformed(reason: String(cString: curl_url_strerror(code))) }
  }

  private static func part(_ handle: OpaquePointer, _ part: CURLUPart, flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
