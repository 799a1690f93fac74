extension ImgproxyDialect {
  /// A request target in two parts.
  public struct SplitTarget: Hashable, Sendable {
    /// The first segment.
    public let signature: String
    /// The rest without its first slash, with the changes of proxies repaired: the text that is signed and read.
    public let path: String
  }

  /// Splits a request target, as it came over the wire: not decoded, not normalised. The query is cut off.
  ///
  /// Repaired are `%3A` in options, and `http:/` and `local:/` for `http://` and `local:///` in plain sources.
  public func split(_ target: some Sequence<UInt8>) throws(ImageURLError) -> SplitTarget {
    let limit = configuration.limits.bytes
    let bytes = Array(target.prefix(limit + 1))
    guard bytes.count <= limit else {
      throw ImageURLError(
        .tooLong, "a URL of more than \(limit) bytes", remedy: "use presets, or a shorter source")
    }
    var rest = bytes.prefix { $0 != UInt8(ascii: "?") }
    guard !rest.contains(where: { SafeText.isControl($0) || $0 == 0x20 || $0 == UInt8(ascii: "#") }) else {
      throw ImageURLError(
        .malformedTarget, "a URL with control characters, spaces or a fragment", remedy: "percent-encode them"
      )
    }
    guard String(validating: rest, as: UTF8.self) != nil else {
      throw ImageURLError(.malformedTarget, "a URL that is not UTF-8", remedy: "percent-encode it")
    }
    if !prefix.isEmpty {
      guard rest.starts(with: prefix), rest.dropFirst(prefix.count).first == UInt8(ascii: "/") else {
        throw ImageURLError(
          .incompletePath, "a path outside of \(configuration.pathPrefix)", remedy: "begin it with the prefix"
        )
      }
      rest = rest.dropFirst(prefix.count)
    }
    if rest.first == UInt8(ascii: "/") { rest.removeFirst() }
    let signature = rest.prefix { $0 != UInt8(ascii: "/") }
    rest = rest.dropFirst(signature.count + 1)
    guard !signature.isEmpty, !rest.isEmpty else {
      throw ImageURLError(
        .incompletePath, "a path without a signature or a source", remedy: "write /signature/options/source")
    }
    return SplitTarget(
      signature: String(decoding: signature, as: UTF8.self),
      path: String(decoding: Self.repaired(rest), as: UTF8.self))
  }

  /// Splits a request target.
  public func split(_ target: String) throws(ImageURLError) -> SplitTarget { try split(target.utf8) }

  /// A path without its first slash, with the changes of browsers and proxies undone.
  static func repaired(_ path: ArraySlice<UInt8>) -> [UInt8] {
    let mark = Array("/plain/".utf8)
    let start: Int?
    let source: ArraySlice<UInt8>
    if path.starts(with: mark.dropFirst()) {
      start = path.startIndex
      source = path.dropFirst(mark.count - 1)
    } else {
      start = index(of: mark, in: path)
      source = start.map { path[($0 + mark.count)...] } ?? []
    }
    var result = withColons(path[..<(start ?? path.endIndex)])
    if start != nil { result += mark + withSlashes(source) }
    if result.first == UInt8(ascii: "/") { result.removeFirst() }
    return result
  }

  /// Options with colons for `%3A`.
  private static func withColons(_ options: ArraySlice<UInt8>) -> [UInt8] {
    let escape = Array("%3A".utf8)
    var result: [UInt8] = []
    result.reserveCapacity(options.count)
    var position = options.startIndex
    while position < options.endIndex {
      if options[position] == escape[0], options[position...].starts(with: escape) {
        result.append(UInt8(ascii: ":"))
        position += escape.count
      } else {
        result.append(options[position])
        position += 1
      }
    }
    return result
  }

  /// A plain source in which the last `:/` with a single slash has two, or three behind `local`.
  ///
  /// imgproxy's rule: the last such place before which there is some text and no space.
  private static func withSlashes(_ source: ArraySlice<UInt8>) -> [UInt8] {
    let spaces: [UInt8] = [0x09, 0x0A, 0x0C, 0x0D, 0x20]
    let end = source.firstIndex(where: spaces.contains) ?? source.endIndex
    var position = min(end, source.endIndex - 3)
    // At least one byte before the colon.
    while position > source.startIndex {
      if source[position] == UInt8(ascii: ":"), source[position + 1] == UInt8(ascii: "/"),
        source[position + 2] != UInt8(ascii: "/")
      {
        let scheme = source[..<position]
        let slashes = scheme.elementsEqual("local".utf8) ? ":///" : "://"
        return Array(scheme) + Array(slashes.utf8) + Array(source[(position + 2)...])
      }
      position -= 1
    }
    return Array(source)
  }

  private static func index(of mark: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0] == mark[0] && bytes[$0...].starts(with: mark) }
  }
}
