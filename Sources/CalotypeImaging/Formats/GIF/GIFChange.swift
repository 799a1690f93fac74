/// The rectangle in which one canvas differs from the next, as GIF can show them: an alpha below 128 is transparent.
struct GIFChange {
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
    let (width, height) = (new.width, new.height)
    var (left, right, top, bottom) = (width, 0, height, 0)
    Self.read(old, new) { old, new in
      for row in 0..<height {
        let start = row * width
        guard let first = (0..<width).first(where: { old(start + $0) != new[start + $0].asInGIF }) else {
          continue
        }
        var last = width - 1
        while old(start + last) == new[start + last].asInGIF { last -= 1 }
        left = min(left, first)
        right = max(right, last + 1)
        top = min(top, row)
        bottom = row + 1
      }
    }
    guard bottom > top else {
      self.init(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
      return
    }
    self.init(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
  }

  /// Returns true if a visible pixel of `old` is transparent in `new`.
  static func uncovers(_ new: Bitmap, after old: Bitmap) -> Bool {
    if new.isOpaque { return false }
    var found = false
    read(old, new) { old, new in
      found = new.indices.contains { new[$0].asInGIF == 0 && old($0) != 0 }
    }
    return found
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

  /// Returns the rectangle of a canvas, with the pixels that are unchanged from `shown` already transparent.
  func pixels(of canvas: Bitmap, over shown: Bitmap?) throws(ImagingError) -> Bitmap {
    if shown == nil, size == canvas.size { return canvas }
    return try Bitmap(size: size) { target in
      let target = target.bindMemory(to: UInt32.self)
      Self.read(shown, canvas) { old, new in
        for row in 0..<size.height {
          for column in 0..<size.width {
            let at = (y + row) * canvas.width + x + column
            let pixel = new[at].asInGIF
            target[row * size.width + column] = (pixel == old(at) ? 0 : pixel).littleEndian
          }
        }
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
  fileprivate var asInGIF: UInt32 {
    let pixel = UInt32(littleEndian: self)
    return pixel >> 24 < 128 ? 0 : pixel | 0xFF00_0000
  }
}
