import CSPNG

/// A libspng decoder over a ``PNGByteSource``.
final class SPNGContext {
  /// The handle for libspng's functions; valid as long as this object.
  let handle: OpaquePointer
  private let source: PNGByteSource

  /// Creates a decoder that may use `chunkLimit` bytes for chunks that are not pixels.
  init(reading source: PNGByteSource, chunkLimit: Int) throws(ImagingError) {
    guard let handle = spng_ctx_new(0) else { throw .outOfMemory(byteCount: 0) }
    self.handle = handle
    self.source = source
    // libspng keeps its own copy of nothing but the pointer: `source` lives as long as the handle.
    let read:
      @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int) -> CInt = {
        _, user, target, count in
        guard let user, let target else { return SPNG_IO_ERROR.rawValue }
        let source = Unmanaged<PNGByteSource>.fromOpaque(user).takeUnretainedValue()
        return source.read(into: target, count: count) ? 0 : SPNG_IO_EOF.rawValue
      }
    var status = spng_set_chunk_limits(handle, chunkLimit, chunkLimit)
    if status == 0 {
      status = spng_set_crc_action(
        handle, CInt(SPNG_CRC_ERROR.rawValue), CInt(SPNG_CRC_DISCARD.rawValue))
    }
    if status == 0 { status = spng_set_png_stream(handle, read, Unmanaged.passUnretained(source).toOpaque()) }
    try Self.check(status)
  }

  deinit {
    spng_ctx_free(handle)
  }

  /// What a status other than success means.
  static func error(_ status: CInt) -> ImagingError {
    if status == SPNG_EMEM.code { return .outOfMemory(byteCount: 0) }
    let reason = spng_strerror(status).map { String(cString: $0) } ?? "libspng error \(status)"
    return .corrupt(.png, reason: reason, offset: nil)
  }

  static func check(_ status: CInt) throws(ImagingError) {
    if status != SPNG_OK.code { throw error(status) }
  }
}

extension spng_errno {
  /// The value that libspng's functions return.
  var code: CInt { CInt(rawValue) }
}
