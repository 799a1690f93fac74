import CDeflate

/// The beginning of the text in a gzip file (RFC 1952).
struct InflatedText {
  /// The reason why there is no more text.
  enum End {
    /// The text is complete. Bytes behind it, and further members, are ignored.
    case complete
    /// There is more text than the limit.
    case limit
    /// The file ends first.
    case input
    /// The data are damaged.
    case damage
  }

  /// The text as far as it is there and sound.
  let bytes: [UInt8]
  let end: End

  /// Inflates at most `limit` bytes. Memory is touched as far as there is text.
  init(_ input: RawSpan, limit: Int) {
    (bytes, end) = input.withUnsafeBytes { Self.inflate($0, limit: max(0, limit)) }
  }

  private static func inflate(_ input: UnsafeRawBufferPointer, limit: Int) -> ([UInt8], End) {
    // zlib keeps the address of the stream: it must not move.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    // 15 bits of window, and 16 for a gzip header.
    guard inflateInit2_(stream, 31, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
      return ([], .damage)
    }
    defer { inflateEnd(stream) }
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = uInt(clamping: input.count)
    var status = Z_OK
    let text = [UInt8](unsafeUninitializedCapacity: limit) { target, count in
      stream.pointee.next_out = target.baseAddress
      stream.pointee.avail_out = uInt(clamping: target.count)
      status = CDeflate.inflate(stream, Z_SYNC_FLUSH)
      count = target.count - Int(stream.pointee.avail_out)
    }
    switch status {
    case Z_STREAM_END: return (text, .complete)
    case Z_OK, Z_BUF_ERROR: return (text, text.count == limit ? .limit : .input)
    default: return (text, .damage)
    }
  }
}
