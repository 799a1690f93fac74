/// A single pass over the pixels for several colour steps, with the same bytes as separate passes.
struct ColorPass: Sendable {
  /// The operations, with neighbours merged where the bytes stay the same.
  let operations: [ColorOperation]
  /// The operations of the steps, for ``Bitmap/isOpaque``.
  private let steps: [ColorOperation]

  /// The number of pixels that pass through all operations at a time: they stay in the first-level cache.
  private static let chunk = 2048

  init(operations all: [ColorOperation]) {
    steps = all.filter { !$0.isIdentity }
    var joined: [ColorOperation] = []
    for operation in steps {
      if let both = joined.last?.then(operation) {
        joined[joined.count - 1] = both
      } else {
        joined.append(operation)
      }
    }
    operations = joined.filter { !$0.isIdentity }
  }

  /// Returns the picture after all steps; the picture itself if they change nothing.
  ///
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
    let bitmap = try bitmap.converted(to: .rgba8)
    guard let first = operations.first else { return bitmap }
    let width = bitmap.width
    let isOpaque = steps.reduce(bitmap.isOpaque) { $1.isOpaque(of: $0) }
    return try bitmap.mapRows(to: bitmap.size, costPerPixel: 2 * operations.count, isOpaque: isOpaque) {
      source, target, rows in
      let end = rows.upperBound * width
      var pixel = rows.lowerBound * width
      while pixel < end {
        let count = min(Self.chunk, end - pixel)
        first.run(source + 4 * pixel, target + 4 * pixel, pixels: count)
        for operation in operations.dropFirst() {
          operation.run(target + 4 * pixel, target + 4 * pixel, pixels: count)
        }
        pixel += count
      }
    }
  }
}
