import CPixels
import CalotypeSupport
@testable import CalotypeImaging
import FoundationEssentials
import Glibc
import Testing

/// Resizes of photographs against double precision without any rounding, and any number of workers.
@Suite struct ResampleQualityTests {
  typealias Pictures = ResamplePictures

  static func photo() throws -> Bitmap {
    let data = try Data(contentsOf: ThumbnailStreamTests.photos.appending(path: "mountains.jpg"))
    let options = DecodeOptions(thumbnail: .fit(width: 640))
    return try CoderRegistry.standard.decode(data, options: options).bitmap
  }

  @Test(arguments: Pictures.weighing)
  func photographsAreWithinOneLevel(filter: ResampleFilter) throws {
    let photo = try Self.photo()
    let values = Pictures.bytes(photo).map { Double($0) }
    for size in [
      PixelSize(width: 160, height: 100), PixelSize(width: 97, height: 61), PixelSize(width: 51, height: 200),
    ] {
      let exact = ReferenceResample.exact(values, photo.size, to: size, filter: filter)
      let result = Pictures.bytes(try photo.resampled(to: size, filter: filter))
      var worst = 0
      var sum = 0.0
      for index in result.indices {
        let expected = min(max(exact[index], 0), 255)
        worst = max(worst, abs(Int(result[index]) - Int(expected.rounded())))
        sum += (Double(result[index]) - expected) * (Double(result[index]) - expected)
      }
      let psnr = 10 * log10(255 * 255 / (sum / Double(result.count)))
      #expect(worst <= 1, "\(filter) to \(size)")
      #expect(psnr >= 50, "\(filter) to \(size): \(psnr) dB")
    }
  }

  @Test func extremeRatiosOfRandomSizes() throws {
    var generator = Pictures.SplitMix(state: 5)
    func side() -> Int {
      switch generator.next() % 4 {
      case 0: 1
      case 1: Int(generator.next() % 4) + 1
      case 2: Int(generator.next() % 60) + 1
      default: Int(generator.next() % 3000) + 1
      }
    }
    for round in 0..<150 {
      let from = PixelSize(width: side(), height: min(side(), 300))
      let to = PixelSize(width: min(side(), 300), height: side())
      let opaque = round % 3 != 0
      let filter = ResampleFilter.allCases[Int(generator.next() % UInt64(ResampleFilter.allCases.count))]
      let source = try Pictures.noise(from.width, from.height, opaque: opaque, seed: generator.next())
      let light = round % 2 == 0
      let results = try ResampleLightTests.levels.map {
        try source.resampled(to: to, from: nil, filter: filter, linearLight: light, level: $0)
      }
      #expect(results.allSatisfy { $0 == results[0] }, "\(from) to \(to), \(filter)")
      #expect(results[0].size == to)
      // One colour comes out as it is, whatever the ratio.
      let flat = try Pictures.make(from.width, from.height) { _, _ in [7, 130, 250, 255] }
      #expect(
        Set(Pictures.bytes(try flat.resampled(to: to, filter: filter, linearLight: light))) == [
          7, 130, 250, 255,
        ])
    }
  }

  @Test(arguments: [true, false], [true, false])
  func anyNumberOfWorkersGivesTheSameBytes(opaque: Bool, linearLight: Bool) async throws {
    let executor = WorkerExecutor(name: "resample-test", threads: 3)
    for (from, to) in [
      ((301, 203), (77, 50)), ((40, 30), (91, 200)), ((5, 90), (5, 1)), ((70_000, 2), (20, 2)),
    ] {
      let source = try Pictures.noise(from.0, from.1, opaque: opaque)
      let size = PixelSize(width: to.0, height: to.1)
      let expected = try source.resampled(to: size, linearLight: linearLight)
      for parts in [1, 2, 3, 7, 1000] {
        let result = try await source.resampled(
          to: size, linearLight: linearLight, parts: parts, on: executor)
        #expect(result == expected && result.isOpaque == opaque, "\(parts) parts")
      }
    }
    let source = try Pictures.noise(9, 9)
    await #expect(throws: ImagingError.self) {
      try await source.resampled(to: PixelSize(width: 3, height: 3), parts: 0, on: executor)
    }
    let task = Task { () throws -> Bitmap in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await source.resampled(to: PixelSize(width: 3, height: 3), parts: 2, on: executor)
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
