import CPixels

/// The frames of a transition between two pictures that fade out and in.
///
/// ```swift
/// let fade = try CrossFade(from: old.bitmap, to: new.bitmap)
/// for step in 0...20 { draw(try fade.bitmap(at: Double(step) / 20)) }
/// ```
///
/// Each pixel is mixed by the visible contributions of both pictures: transparent ones leave no dark fringe, and
/// neither picture shows through the other. The result is exact except for rounding to 8 bits; progress has steps of
/// 1/4096.
public struct CrossFade: Sendable {
  /// The picture at the beginning, at the size of the other.
  public let start: Bitmap
  /// The picture at the end.
  public let end: Bitmap

  /// Prepares both pictures, once for all frames between them.
  ///
  /// A picture of another size is resized to that of the second one: stretched if the proportions are the same except
  /// for rounding, otherwise fitted into it and centred, with transparent margins.
  ///
  /// - Parameters:
  ///   - first: The picture before the transition; `nil` for none.
  ///   - second: The picture after the transition.
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public init(from first: Bitmap?, to second: Bitmap) throws(ImagingError) {
    end = try second.converted(to: .rgba8)
    guard let first else {
      start = try Bitmap(size: end.size) { pixels in
        pixels.initializeMemory(as: UInt8.self, repeating: 0)
        return false
      }
      return
    }
    start = try first.converted(to: .rgba8).placed(in: end.size)
  }

  /// Returns the frame at a progress from 0 to 1; numbers outside the range are clamped.
  ///
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  /// - Complexity: O(pixels). Blocks for as long; call it off the cooperative pool.
  public func bitmap(at progress: Double) throws(ImagingError) -> Bitmap {
    // The comparison is false for NaN.
    let part = progress > 0 ? UInt32((min(1, progress) * 4096).rounded()) : 0
    if part == 0 { return start }
    if part == 4096 { return end }
    let isOpaque = start.isOpaque && end.isOpaque
    let width = end.width
    return try end.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(ImagingError) in
      let to = bytes.bindMemory(to: UInt8.self).baseAddress
      return try start.mapRows(to: end.size, isOpaque: isOpaque) { from, out, rows in
        guard let to else { return }
        let first = 4 * rows.lowerBound * width
        cpx_cross_fade(from + first, to + first, out + first, rows.count * width, part, isOpaque ? 1 : 0)
      }
    }
  }
}

extension Bitmap {
  /// Returns the picture fitted into a canvas of another size and centred.
  fileprivate func placed(in size: PixelSize) throws(ImagingError) -> Bitmap {
    if self.size == size { return self }
    let fitted = try Thumbnail.fit(width: size.width, height: size.height).geometry(
      for: self.size, enlarges: true
    ).size
    let room = (width: size.width - fitted.width, height: size.height - fitted.height)
    // The proportions of thumbnails of one picture differ by rounding errors, which may have grown with the size.
    let tolerance = (
      width: 1 + size.width / max(1, min(width, height)), height: 1 + size.height / max(1, min(width, height))
    )
    if room.width <= tolerance.width, room.height <= tolerance.height { return try resampled(to: size) }
    let (left, top) = (room.width / 2, room.height / 2)
    return try Transforms.Pad(top: top, left: left, bottom: room.height - top, right: room.width - left)
      .apply(to: resampled(to: fitted))
  }
}
