@testable import CalotypeImaging

/// Reads the bytes as transforms, one a line, and does them to a small picture.
enum TransformTarget {
  static func run(_ input: FuzzInput) throws {
    let isOpaque = input.choices.contains(.shrinks)
    let size = PixelSize(width: Int(input.first % 24) + 1, height: Int(input.second % 24) + 1)
    let bitmap = try Bitmap(size: size) { pixels in
      for index in pixels.indices {
        pixels[index] = isOpaque && index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index &* 37 ^ index >> 3)
      }
      return isOpaque
    }
    var transforms: [ImageTransform] = []
    for line in String(decoding: input.bytes.prefix(400), as: UTF8.self).split(separator: "\n").prefix(4) {
      let parsed = try Promises.result { () throws(ImagingError) in
        try ImageTransform(parsing: String(line)) { _ throws(ImagingError) in (bitmap, "self") }
      }
      guard case .success(let transform) = parsed else { continue }
      if !(transform.step is Transforms.Overlay) {
        let again = try ImageTransform(parsing: transform.identity)
        try FuzzFailure.unless(again == transform, "\(line) reads back as \(again), not \(transform)")
      }
      transforms.append(transform)
    }
    var plain: Bitmap? = bitmap
    for transform in transforms {
      guard let before = plain else { break }
      let result = try Promises.result { () throws(ImagingError) in try transform.step.apply(to: before) }
      plain = try? result.get()
      guard let after = plain else { break }
      try Promises.check(after, .default)
      // What a text can ask for may be large; nobody learns more from the next step.
      if after.size.pixelCount > 1 << 20 { return }
    }
    let chained = try Promises.result { () throws(ImagingError) in
      try TransformChain(transforms).apply(to: bitmap)
    }
    try FuzzFailure.unless(
      (try? chained.get()) == plain, "\(transforms) together are not one after the other")
  }
}
