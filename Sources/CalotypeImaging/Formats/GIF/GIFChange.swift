/// The rectangle in which one canvas differs from the next, as GIF can show them: an alpha below 128 is transparent.
struct GIFChange: Hashable {
  /// The column of the left edge.
  let x: Int
  /// The row of the top edge.
  let y: Int
  /// The width and height, at least 1.
  let size: PixelSize

  init(x: Int, y: Int, size: PixelSize) {
    self.x = x
    self.y = y
    self.size = size
  }

  /// Finds the difference between two canvases of one size; the first pixel if there is none. `nil` is a transparent
  /// canvas.
  init(from old: Bitmap?, to new: Bitmap) {
    self =
      Self.bounds(old, new) { $0 != $1 } ?? GIFChange(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
  }

  /// Returns the rectangle of the pixels that are visible in `old` and transparent in `new`; `nil` if there are none.
  static func uncovered(by new: Bitmap, after old: Bitmap) -> GIFChange? {
    new.isOpaque ? nil : bounds(old, new) { $0 != 0 && $1 == 0 }
  }

  /// Returns the smallest rectangle that contains this one and another.
  func union(_ other: GIFChange) -> GIFChange {
    let (left, top) = (min(x, other.x), min(y, other.y))
    let right = max(x + size.width, other.x + other.size.width)
    let bottom = max(y + size.height, other.y + other.size.height)
    return GIFChange(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
  }

  /// Returns the smallest rectangle with all pixels whose old and new values pass a test; `nil` if there are none.
  private static func bounds(
    _ old: Bitmap?, _ new: Bitmap, _ test: (UInt32, UInt32) -> Bool
  ) -> GIFChange? {
    let (width, height) = (new.width, new.height)
    var (left, right, top, bottom) = (width, 0, height, 0)
    read(old, new) { old, new in
      for row in 0..<height {
        let start = row * width
        func isPart(_ column: Int) -> Bool { test(old(start + column), new[start + column].asInGIF) }
        guard let first = (0..<width).first(where: isPart) else { continue }
        var last = width - 1
        while !isPart(last) { last -= 1 }
        left = min(left, first)
        right = max(right, last + 1)
        top = min(top, row)
        bottom = row + 1
      }
    }
    guard bottom > top else { return nil }
    return GIFChange(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
  }

  /// Returns a canvas whose pixels stay as they were where they differ by no more than `tolerance` levels in any channel.
  static func steadied(
    _ new: Bitmap, after old: Bitmap, tolerance: Int
  ) throws(ImagingError) -> Bitmap {
    guard tolerance > 0 else { return new }
    return try Bitmap(size: new.size) { target in
      let target = target.bindMemory(to: UInt32.self)
      read(old, new) { old, new in
        for at in new.indices {
          let (before, after) = (old(at), new[at].asInGIF)
          let differs = [0, 8, 16].contains { (shift: UInt32) in
            abs(Int(before >> shift & 255) - Int(after >> shift & 255)) > tolerance
          }
          let isSteady = !differs && (before == 0) == (after == 0)
          target[at] = (isSteady ? before : after).littleEndian
        }
      }
      return false
    }
  }

  /// Returns the rectangle of a canvas; pixels for which `isOmitted` has anything but 0 are transparent.
  func pixels(of canvas: Bitmap, without isOmitted: [UInt8]? = nil) throws(ImagingError) -> Bitmap {
    if isOmitted == nil, size == canvas.size { return canvas }
    return try Bitmap(size: size) { target in
      let target = target.bindMemory(to: UInt32.self)
      Self.read(nil, canvas) { _, new in
        for row in 0..<size.height {
          let start = (y + row) * canvas.width + x
          for column in 0..<size.width {
            let at = row * size.width + column
            target[at] =
              (isOmitted.map { $0[at] != 0 } ?? false) ? 0 : new[start + column].asInGIF.littleEndian
          }
        }
      }
      return false
    }
  }

  /// Returns a byte for each pixel of the rectangle, 1 if it is as in the canvas before; `nil` if all pixels are different.
  func unchanged(in canvas: Bitmap, after shown: Bitmap?) -> [UInt8]? {
    var result = [UInt8](repeating: 0, count: size.pixelCount)
    var isFound = false
    Self.read(shown, canvas) { old, new in
      for row in 0..<size.height {
        let start = (y + row) * canvas.width + x
        for column in 0..<size.width where old(start + column) == new[start + column].asInGIF {
          result[row * size.width + column] = 1
          isFound = true
        }
      }
    }
    return isFound ? result : nil
  }

  /// Returns a canvas with transparent pixels in the rectangle; `nil` if it is all of the canvas.
  func cleared(in canvas: Bitmap) throws(ImagingError) -> Bitmap? {
    guard size != canvas.size else { return nil }
    return try Bitmap(size: canvas.size) { target in
      let target = target.bindMemory(to: UInt32.self)
      Self.read(nil, canvas) { _, new in
        for at in new.indices { target[at] = new[at] }
      }
      for row in y..<y + size.height {
        for column in x..<x + size.width { target[row * canvas.width + column] = 0 }
      }
      return false
    }
  }

  private static func read(
    _ old: Bitmap?, _ new: Bitmap, _ body: ((Int) -> UInt32, UnsafeBufferPointer<UInt32>) -> Void
  ) {
    new.withUnsafeBytes { new in
      let new = new.bindMemory(to: UInt32.self)
      guard let old else { return body({ _ in 0 }, new) }
      old.withUnsafeBytes { old in
        let old = old.bindMemory(to: UInt32.self)
        body({ old[$0].asInGIF }, new)
      }
    }
  }
}

extension UInt32 {
  /// The pixel, read from memory, with the alpha that GIF can show; red in the low bits.
  var asInGIF: UInt32 {
    let pixel = UInt32(littleEndian: self)
    return pixel >> 24 < 128 ? 0 : pixel | 0xFF00_0000
  }
}
