import Glibc
import Testing

@testable import CalotypeImaging

@Suite struct GaussianBlurTests {
  typealias Pictures = ResamplePictures

  /// A blur in double precision: premultiplied samples, each the mean of all others weighed by a Gaussian as far as
  /// six deviations, over those that exist.
  static func reference(_ bitmap: Bitmap, sigma: Double) -> [Double] {
    let (width, height) = (bitmap.width, bitmap.height)
    let bytes = Pictures.bytes(bitmap)
    var values = bytes.map { Double($0) }
    for index in values.indices where index % 4 != 3 {
      values[index] *= Double(bytes[index / 4 * 4 + 3]) / 255
    }
    func pass(_ values: [Double], _ length: Int, _ lines: Int, _ step: Int, _ lineStep: Int) -> [Double] {
      let radius = Int((6 * sigma).rounded(.up))
      let kernel = (0...radius).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
      var result = values
      for output in 0..<length {
        let window = max(0, output - radius)...min(length - 1, output + radius)
        let total = window.reduce(0) { $0 + kernel[abs($1 - output)] }
        for line in 0..<lines {
          var sum = SIMD4<Double>.zero
          for index in window {
            let at = line * lineStep + index * step
            sum +=
              SIMD4(values[at], values[at + 1], values[at + 2], values[at + 3]) * kernel[abs(index - output)]
          }
          for channel in 0..<4 { result[line * lineStep + output * step + channel] = sum[channel] / total }
        }
      }
      return result
    }
    let rows = pass(values, height, width, width * 4, 4)
    return pass(rows, width, height, 4, width * 4)
  }

  /// The largest difference of premultiplied samples.
  static func difference(_ bitmap: Bitmap, _ expected: [Double]) -> Double {
    let bytes = Pictures.bytes(bitmap)
    return bytes.indices.reduce(0) { largest, index in
      let alpha = index % 4 == 3 ? 1 : Double(bytes[index / 4 * 4 + 3]) / 255
      return max(largest, abs(Double(bytes[index]) * alpha - expected[index]))
    }
  }

  @Test(arguments: [0.3, 0.5, 1, 2.5, 7.3, 11.9], [true, false])
  func smallBlursAgreeWithDoubles(sigma: Double, opaque: Bool) throws {
    for (width, height) in [(1, 1), (1, 40), (40, 1), (2, 3), (37, 29), (90, 64)] {
      let source = try Pictures.noise(width, height, opaque: opaque, seed: UInt64(width))
      let result = try Transforms.GaussianBlur(sigma: sigma).apply(to: source)
      #expect(result.size == source.size && result.isOpaque == opaque)
      // Two roundings; with alpha, one more of premultiplied samples and one of straight ones.
      let limit = opaque ? 1.05 : 2
      #expect(Self.difference(result, Self.reference(source, sigma: sigma)) <= limit, "\(width)×\(height)")
    }
  }

  @Test(arguments: [12, 16.5, 20, 33, 80, 300, 1000] as [Double])
  func largeBlursAgreeWithDoubles(sigma: Double) throws {
    let edge = try Pictures.make(150, 90) { x, y in x < 70 ? [0, 255, 0, 255] : [255, 0, UInt8(y), 255] }
    let nearEdge = try Pictures.make(120, 80) { x, y in
      x < 12 || y > 75 ? [0, 255, 0, 255] : [255, 0, 255, 255]
    }
    let shape = try Pictures.make(100, 110, opaque: false) { x, y in
      x > y ? [255, 40, 0, 255] : [0, 0, 255, x % 3 == 0 ? 128 : 0]
    }
    for source in [
      edge, nearEdge, shape, try Pictures.noise(140, 101), try Pictures.noise(160, 1),
      try Pictures.noise(1, 70), try Pictures.noise(1, 1),
    ] {
      let result = try Transforms.GaussianBlur(sigma: sigma).apply(to: source)
      #expect(Self.difference(result, Self.reference(source, sigma: sigma)) <= 2, "\(source.size)")
    }
  }

  @Test(arguments: [5, 25] as [Double]) func photosAgreeWithDoubles(sigma: Double) throws {
    for file in ["Corpus/webp/generated/quality-50.webp", "Corpus/jpeg/exif/WWL__Polaroid__ION230.jpg"] {
      let photo = try CoderRegistry.standard.decode(Fixture.data(file)).bitmap
      let result = try Transforms.GaussianBlur(sigma: sigma).apply(to: photo)
      let limit = sigma < 12 ? 1.05 : 2
      #expect(Self.difference(result, Self.reference(photo, sigma: sigma)) <= limit, "\(file)")
    }
  }

  @Test(arguments: [0.7, 6, 15, 60] as [Double]) func oneColourStaysOneColour(sigma: Double) throws {
    for value in [[0, 0, 0, 255], [255, 255, 255, 255], [1, 127, 254, 255]] as [[UInt8]] {
      let source = try Pictures.make(67, 43) { _, _ in value }
      #expect(try Transforms.GaussianBlur(sigma: sigma).apply(to: source) == source)
    }
  }

  @Test(arguments: [2, 20] as [Double]) func transparentNeighboursLeaveNoFringe(sigma: Double) throws {
    let source = try Pictures.make(64, 32, opaque: false) { x, _ in
      x < 29 ? [0, 255, 0, 255] : [255, 0, 0, 0]
    }
    let result = Pictures.bytes(try Transforms.GaussianBlur(sigma: sigma).apply(to: source))
    var partial = 0
    for first in stride(from: 0, to: result.count, by: 4) where result[first + 3] > 0 {
      #expect(result[first] == 0 && result[first + 1] == 255 && result[first + 2] == 0)
      if result[first + 3] < 255 { partial += 1 }
    }
    #expect(partial > 100)
  }

  @Test func weightsSumToOneAndStayInBounds() throws {
    for (sigma, samples) in [(0.1, 1), (0.4, 9), (3, 5), (3, 100), (11.9, 300), (100, 2000), (1000, 70)] {
      let grid = BlurGrid(samples: samples, step: Transforms.GaussianBlur.step(sigma: sigma))
      let banks = [
        try weights(FilterBank(gaussian: sigma, samples: samples, grid: grid, pool: .shared), samples),
        grid.step == 1
          ? [] : try weights(FilterBank(interpolating: grid, samples: samples, pool: .shared), grid.count),
      ]
      #expect(banks[0].count == grid.count && banks[1].count == (grid.step == 1 ? 0 : samples))
    }
  }

  private func weights(_ bank: borrowing FilterBank, _ samples: Int) throws -> [[Int]] {
    var previous = 0
    return (0..<bank.count).map { output in
      let (start, weights) = bank.weights(of: output)
      #expect(weights.reduce(0, +) == 1 << bank.precision)
      #expect(start >= previous && start + weights.count <= samples)
      #expect(weights.allSatisfy { abs($0) <= FilterBank.largestWeight })
      #expect(weights.reduce(0) { $0 + abs($1) } * 255 + (1 << bank.precision) / 2 <= Int(Int32.max))
      previous = start
      return weights
    }
  }

  @Test func nothingToDoReturnsTheBitmap() throws {
    let source = try Pictures.noise(5, 4)
    #expect(
      RasterSteps.isSame(try Transforms.GaussianBlur(sigma: 0).apply(to: source), source))
  }

  @Test func spellingAndNonsense() throws {
    try StepSpelling.expectRoundTrip(
      Transforms.GaussianBlur(sigma: 2.5), "blur:2.5", Transforms.GaussianBlur.init)
    try StepSpelling.expectRoundTrip(
      Transforms.GaussianBlur(sigma: 4), "blur:4", Transforms.GaussianBlur.init)
    StepSpelling.expectRefused(
      ["blur", "blur:-1", "blur:1001", "blur:1,2", "blur:nan"], name: "blur", Transforms.GaussianBlur.init)
    for sigma in [Double.nan, .infinity, -0.1, 1000.5] {
      try StepSpelling.expectRefused(Transforms.GaussianBlur(sigma: sigma), name: "blur")
    }
    let line = try Bitmap(size: PixelSize(width: 4_000_000, height: 1)) { bytes in
      if let base = bytes.baseAddress { memset(base, 255, bytes.count) }
      return true
    }
    #expect(RasterSteps.invalid { try Transforms.GaussianBlur(sigma: 11).apply(to: line) } == "size")
  }

  @Test func stopsWhenCancelled() async throws {
    let source = try Pictures.noise(300, 200)
    for sigma in [3, 40] as [Double] {
      let task = Task { () throws -> Bitmap in
        withUnsafeCurrentTask { $0?.cancel() }
        return try Transforms.GaussianBlur(sigma: sigma).apply(to: source)
      }
      await #expect(throws: ImagingError.cancelled) { try await task.value }
    }
  }
}
