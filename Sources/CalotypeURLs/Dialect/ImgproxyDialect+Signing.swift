extension ImgproxyDialect {
  /// Signs a path that is written already, such as `/rs:fill:300:200/plain/https://example.com/a.jpg`.
  ///
  /// The path is read first, so that one that a server refuses gets no signature.
  ///
  /// - Parameters:
  ///   - path: The options and the source, without signature.
  ///   - now: Seconds since 1970, for keys that are valid until a time, and for `expires`.
  /// - Returns: The path with ``Configuration/pathPrefix`` and signature, which a server finds behind its host.
  public func signed(path: String, at now: Int64? = nil) throws(ImageURLError) -> String {
    guard path.utf8.first == UInt8(ascii: "/") else {
      throw ImageURLError(
        .incompletePath, "a path without its first slash",
        remedy: "write /options/source, without a signature")
    }
    // The same repairs as those of a server, which signs their result.
    let parts = try split(String(decoding: prefix, as: UTF8.self) + "/unsafe" + path)
    _ = try parse(path: parts.path, at: now)
    let url =
      String(decoding: prefix, as: UTF8.self) + "/"
      + configuration.signature.sign("/" + parts.path, at: now) + "/" + parts.path
    guard url.utf8.count <= configuration.limits.bytes else {
      throw ImageURLError(
        .tooLong, "a URL of more than \(configuration.limits.bytes) bytes",
        remedy: "use presets, or a shorter source")
    }
    return url
  }
}
