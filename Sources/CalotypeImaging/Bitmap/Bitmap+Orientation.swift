extension Bitmap {
  /// Returns the upright bitmap of a picture that is stored with this orientation.
  ///
  /// The pixels are moved without a change. `.topLeft` returns the bitmap itself.
  ///
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public func oriented(
    _ orientation: Orientation, pool: PixelPool = .shared
  ) throws(ImagingError) -> Bitmap {
    guard orientation != .topLeft else { return self }
    let turn = PixelRotation(orientation: orientation, size: size)
    return try Bitmap(
      size: orientation.apply(to: size), format: format, pool: pool
    ) { (target: UnsafeMutableRawBufferPointer) throws(ImagingError) in
      try withUnsafeBytes { (source: UnsafeRawBufferPointer) throws(ImagingError) in
        switch format {
        case .rgba8, .cmyk8: try turn.run(from: source, to: target, as: UInt32.self)
        case .rgba16: try turn.run(from: source, to: target, as: UInt64.self)
        case .gray8: try turn.run(from: source, to: target, as: UInt8.self)
        }
      }
      return isOpaque
    }
  }
}

/// The source of the pixels of a rotated picture: the source index is an affine function of target x and y.
private struct PixelRotation {
  let target: PixelSize
  /// The source index of target pixel (0, 0).
  let origin: Int
  /// The change of the source index for one step to the right in the target.
  let stepX: Int
  /// The change of the source index for one step down in the target.
  let stepY: Int

  init(orientation: Orientation, size: PixelSize) {
    let width = size.width
    let right = width - 1
    let bottom = (size.height - 1) * width
    target = orientation.apply(to: size)
    (origin, stepX, stepY) =
      switch orientation {
      case .topLeft: (0, 1, width)
      case .topRight: (right, -1, width)
      case .bottomRight: (bottom + right, -1, -width)
      case .bottomLeft: (bottom, 1, -width)
      case .leftTop: (0, width, 1)
      case .rightTop: (bottom, -width, 1)
      case .rightBottom: (bottom + right, -width, -1)
      case .leftBottom: (right, width, -1)
      }
  }

  /// The side of a tile, in pixels. A tile of the source and one of the target fit the first-level cache, so that
  /// reading columns costs no more than reading rows.
  private static let tile = 32

  func run<Pixel: BitwiseCopyable>(
    from source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, as pixel: Pixel.Type
  ) throws(ImagingError) {
    guard let from = source.baseAddress?.assumingMemoryBound(to: pixel),
      let to = target.baseAddress?.assumingMemoryBound(to: pixel)
    else { return }
    let width = self.target.width
    let height = self.target.height
    // Rows that stay rows are copied whole; columns that become rows are copied in tiles.
    let tileWidth = abs(stepX) == 1 ? width : Self.tile
    for top in stride(from: 0, to: height, by: Self.tile) {
      if Task.isCancelled { throw .cancelled }
      let bottom = min(top + Self.tile, height)
      for left in stride(from: 0, to: width, by: tileWidth) {
        let count = min(tileWidth, width - left)
        for y in top..<bottom {
          let row = to + (y * width + left)
          if stepX == 1 {
            row.update(from: from + (origin + y * stepY), count: count)
            continue
          }
          var index = origin + left * stepX + y * stepY
          for x in 0..<count {
            row[x] = from[index]
            index &+= stepX
          }
        }
      }
    }
  }
}
