import Glibc

/// A rectangle of pixels in memory: owned, aligned, and immutable once created.
///
/// Rows run from top to bottom, without padding. Copies share the pixels. The memory returns to its ``PixelPool`` with
/// the last copy.
public struct Bitmap: Sendable {
  /// Width and height in pixels, both at least 1.
  public let size: PixelSize
  /// The layout of a pixel.
  public let format: PixelFormat
  /// A Boolean value that indicates whether every pixel is known to be fully opaque. `false` makes no statement.
  public let isOpaque: Bool

  private let storage: PixelStorage

  /// The number of pixels per row.
  public var width: Int { size.width }
  /// The number of rows.
  public var height: Int { size.height }
  /// The distance between rows, in bytes: `width * format.bytesPerPixel`.
  public var bytesPerRow: Int { size.width * format.bytesPerPixel }
  /// Bytes of all rows.
  public var byteCount: Int { bytesPerRow * size.height }
  /// Bytes of the allocated buffer, which may be larger.
  package var allocatedByteCount: Int { storage.buffer.count }

  /// Creates a bitmap from pixels that `initialize` writes.
  ///
  /// The buffer holds `width * height * format.bytesPerPixel` uninitialised bytes, 64-byte aligned; `initialize`
  /// must write all of them and return whether all pixels are opaque.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for an empty size,
  ///   ``ImagingError/outOfMemory(byteCount:)``, and the errors of `initialize`.
  public init(
    size: PixelSize, format: PixelFormat = .rgba8, pool: PixelPool = .shared,
    initialize: (UnsafeMutableRawBufferPointer) throws(ImagingError) -> Bool
  ) throws(ImagingError) {
    guard size.width > 0, size.height > 0 else {
      throw .invalidParameter(name: "size", reason: "\(size) has no pixels")
    }
    let (byteCount, overflow) = size.pixelCount.multipliedReportingOverflow(by: format.bytesPerPixel)
    guard !overflow, let buffer = pool.take(byteCount: byteCount) else {
      throw .outOfMemory(byteCount: overflow ? .max : byteCount)
    }
    let storage = PixelStorage(buffer: buffer, pool: pool)
    isOpaque = try initialize(UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount]))
    self.storage = storage
    self.size = size
    self.format = format
  }

  /// All pixels: ``byteCount`` bytes.
  public var bytes: RawSpan {
    @_lifetime(borrow self)
    borrowing get {
      let span = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage.buffer[..<byteCount]))
      // The storage owns the bytes and lives as long as the bitmap.
      return _overrideLifetime(span, borrowing: self)
    }
  }

  /// Calls `body` with all pixels: `byteCount` bytes, valid during the call only.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeRawBufferPointer(rebasing: storage.buffer[..<byteCount]))
  }

  /// Returns a closure that returns the bitmap while it, or a copy of it, is alive. The closure does not retain the
  /// pixels.
  package func weakReference() -> @Sendable () -> Bitmap? {
    let (size, format, isOpaque) = (size, format, isOpaque)
    return { [weak storage] in
      storage.map { Bitmap(size: size, format: format, isOpaque: isOpaque, storage: $0) }
    }
  }

  /// Takes ownership of a buffer of `pool` with the pixels at its start; for decoders that keep it for longer than a
  /// call, or need room behind the pixels.
  ///
  /// ``PixelPool/take(byteCount:)`` has returned `buffer`, which has at least the bytes of `size` and `format`, both
  /// sides at least 1. It then belongs to the bitmap.
  init(
    adopting buffer: UnsafeMutableRawBufferPointer, of pool: PixelPool, size: PixelSize, format: PixelFormat,
    isOpaque: Bool
  ) {
    precondition(buffer.count / format.bytesPerPixel >= size.pixelCount)
    self.init(
      size: size, format: format, isOpaque: isOpaque, storage: PixelStorage(buffer: buffer, pool: pool))
  }

  private init(size: PixelSize, format: PixelFormat, isOpaque: Bool, storage: PixelStorage) {
    self.size = size
    self.format = format
    self.isOpaque = isOpaque
    self.storage = storage
  }
}

extension Bitmap: Equatable {
  /// Returns true if size, format and every byte are equal.
  public static func == (a: Bitmap, b: Bitmap) -> Bool {
    guard a.size == b.size, a.format == b.format else { return false }
    return a.withUnsafeBytes { x in
      b.withUnsafeBytes { y in
        guard let p = x.baseAddress, let q = y.baseAddress else { return false }
        return p == q || memcmp(p, q, x.count) == 0
      }
    }
  }
}

/// An owner of a buffer of a pool that returns it at the end.
// `@unchecked`: the bytes are written before the bitmap is published and only read afterwards.
private final class PixelStorage: @unchecked Sendable {
  let buffer: UnsafeMutableRawBufferPointer
  let pool: PixelPool

  init(buffer: UnsafeMutableRawBufferPointer, pool: PixelPool) {
    self.buffer = buffer
    self.pool = pool
  }

  deinit {
    pool.giveBack(buffer)
  }
}
