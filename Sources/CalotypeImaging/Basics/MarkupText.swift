import CDeflate

/// The beginning of a text that may be markup, as UTF-8: plain, UTF-16, or compressed by gzip.
package struct MarkupText {
  /// The text without byte order mark.
  package let bytes: [UInt8]
  /// A Boolean value that indicates whether the text was cut at the limit, so that a longer input would not show more
  /// of it.
  package let isCut: Bool

  /// Reads the beginning of an input; `nil` if it is binary.
  ///
  /// - Parameters:
  ///   - input: The first bytes of the input.
  ///   - limit: The largest number of bytes to read of the input, and to inflate.
  package init?(_ input: RawSpan, limit: Int) {
    guard Self.mayBeMarkup(input) else { return nil }
    let start = input.extracting(first: limit)
    if start.holds([0x1F, 0x8B]) {
      guard let inflated = Self.inflated(start, limit: limit) else { return nil }
      bytes = Self.plain(inflated.span.bytes)
      isCut = inflated.count >= limit || input.byteCount >= limit
    } else {
      bytes = Self.plain(start)
      isCut = input.byteCount >= limit
    }
  }

  /// Returns false for most binary formats by their first bytes.
  private static func mayBeMarkup(_ input: RawSpan) -> Bool {
    switch input.byte(at: 0) {
    case 0x3C, 0x20, 0x09, 0x0A, 0x0D: true
    case 0xEF: input.holds([0xEF, 0xBB, 0xBF])
    case 0x1F: input.holds([0x1F, 0x8B, 8])
    case 0xFF: input.holds([0xFF, 0xFE])
    case 0xFE: input.holds([0xFE, 0xFF])
    case 0x00: input.holds([0x00, 0x3C])
    default: false
    }
  }

  private static func plain(_ input: RawSpan) -> [UInt8] {
    if input.holds([0xFF, 0xFE]) || input.holds([0x3C, 0x00]) { return utf16(input, bigEndian: false) }
    if input.holds([0xFE, 0xFF]) || input.holds([0x00, 0x3C]) { return utf16(input, bigEndian: true) }
    let start = input.holds([0xEF, 0xBB, 0xBF]) ? 3 : 0
    return input.extracting(droppingFirst: start).withUnsafeBytes { Array($0) }
  }

  private static func utf16(_ input: RawSpan, bigEndian: Bool) -> [UInt8] {
    var units: [UInt16] = []
    units.reserveCapacity(input.byteCount / 2)
    for offset in stride(from: 0, to: input.byteCount - 1, by: 2) {
      guard let unit = input.uint16(at: offset, bigEndian: bigEndian) else { break }
      if offset > 0 || unit != 0xFEFF { units.append(unit) }
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  /// Inflates the beginning of a gzip file (RFC 1952) as far as it is there and sound: nothing while its header has not
  /// ended; `nil` if it is damaged before any byte of text.
  private static func inflated(_ input: RawSpan, limit: Int) -> [UInt8]? {
    input.withUnsafeBytes { source in
      // zlib keeps the address of the stream: it must not move.
      let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
      stream.initialize(to: z_stream())
      defer { stream.deallocate() }
      // 15 bits of window, and 16 for a gzip header.
      guard inflateInit2_(stream, 31, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
        return nil
      }
      defer { inflateEnd(stream) }
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.pointee.avail_in = uInt(clamping: source.count)
      var status = Z_OK
      let text = [UInt8](unsafeUninitializedCapacity: max(0, limit)) { target, count in
        stream.pointee.next_out = target.baseAddress
        stream.pointee.avail_out = uInt(clamping: target.count)
        status = CDeflate.inflate(stream, Z_SYNC_FLUSH)
        count = target.count - Int(stream.pointee.avail_out)
      }
      return text.isEmpty && status != Z_OK && status != Z_BUF_ERROR ? nil : text
    }
  }
}
