import BenchmarkHarness
import Calotype
import CalotypeCaching
import CalotypeImaging
import CalotypeTestKit
import FoundationEssentials

extension GrowthCurve {
  /// Thousands of pixels, from 0.1 to 100 megapixels; 4 by 3.
  static var pixels: [GrowthCurve] {
    let sizes = [100, 300, 1_000, 3_000, 10_000, 30_000, 99_000]
    // Encoders take seconds beyond, and WebP ends at 16,383 pixels of a side.
    let fewer = Array(sizes.dropLast(2))
    // The pattern of the samples compresses better than the default limits expect of a picture.
    let limits = {
      var limits = DecodeLimits.default
      (limits.maxExpansion, limits.maxMemoryBytes) = (.max, .max)
      return limits
    }()
    func encoded(_ options: EncodeOptions, _ size: Int) throws -> Data {
      let side = sides(size)
      return try SampleImages.still(options, width: side.width, height: side.height)
    }
    func decode(_ name: String, _ options: EncodeOptions, _ sizes: [Int]) -> GrowthCurve {
      GrowthCurve(name: "pixels/decode \(name)", sizes: sizes) { size in
        let data = try encoded(options, size)
        return try milliseconds {
          _ = try CoderRegistry.standard.decode(data, options: DecodeOptions(limits: limits))
        }
      }
    }
    func encode(_ name: String, _ options: EncodeOptions, _ sizes: [Int]) -> GrowthCurve {
      GrowthCurve(name: "pixels/encode \(name)", sizes: sizes) { size in
        let side = sides(size)
        let image = Image(bitmap: try SampleImages.bitmap(width: side.width, height: side.height))
        return try milliseconds { _ = try CoderRegistry.standard.encode(image, as: options) }
      }
    }
    return [
      decode("jpeg", .jpeg(quality: 80), sizes), decode("png", .png, sizes),
      decode("webp", .webp(quality: 75), fewer), encode("jpeg", .jpeg(quality: 80), sizes),
      encode("png", .png, fewer), encode("webp", .webp(quality: 75), fewer),
      GrowthCurve(name: "pixels/thumbnail jpeg", sizes: sizes) { size in
        let data = try encoded(.jpeg(quality: 80), size)
        let options = DecodeOptions(
          limits: limits, thumbnail: Thumbnail(box: PixelSize(width: 320, height: 240), mode: .fit))
        return try milliseconds { _ = try CoderRegistry.standard.decode(data, options: options) }
      },
      GrowthCurve(name: "pixels/resize to half", sizes: sizes) { size in
        let side = sides(size)
        let bitmap = try SampleImages.bitmap(width: side.width, height: side.height)
        let half = PixelSize(width: side.width / 2, height: side.height / 2)
        return try milliseconds { _ = try bitmap.resampled(to: half, filter: .lanczos3) }
      },
    ]
  }

  /// Callers at the same time, from 1 to 1,000, for 4,000 small images together.
  static var requests: [GrowthCurve] {
    [
      GrowthCurve(name: "requests/4,000 small images", sizes: [1, 3, 10, 30, 100, 300, 1_000]) { callers in
        try LoadChild.figures("small", "\(callers)", "4000")[0] * 4_000
      },
      GrowthCurve(name: "requests/callers of one image", sizes: [1_000, 3_000, 10_000, 30_000, 100_000]) {
        try LoadChild.figures("one-image", "\($0)")[0]
      },
    ]
  }

  /// Entries of caches, from 100 to a million: 10,000 hits, and 1,000 reads of the disk.
  static var entries: [GrowthCurve] {
    let sizes = [100, 1_000, 10_000, 100_000, 1_000_000]
    return [
      GrowthCurve(name: "entries/10,000 memory hits", sizes: sizes) { count in
        let keys = (0..<count).map { CacheKey("https://example.org/\($0)") }
        let cache = MemoryCache<Int>(byteLimit: .max)
        for (index, key) in keys.enumerated() { cache.store(index, for: key, cost: 1) }
        var index = 0
        return try milliseconds {
          for _ in 0..<10_000 {
            index = (index + 7_919) % count
            guard cache.value(for: keys[index]) == index else { throw ImagingError.emptyInput }
          }
        }
      },
      GrowthCurve(name: "entries/1,000 disk hits", sizes: Array(sizes.dropLast())) { count in
        let folder = try BenchmarkFolder()
        let cache = DiskCache(
          .init(folder: folder.url, byteLimit: .max, countLimit: .max, stagingByteLimit: .max))
        _ = try once {
          for number in 0..<count {
            try cache.handOver(Data(repeating: 1, count: 100), for: CacheKey("record \(number)"))
            if number.isMultiple(of: 10_000) { try await cache.flush() }
          }
          try await cache.flush()
        }
        return try asyncMilliseconds {
          for number in 0..<1_000 { _ = try await cache.read(CacheKey("record \(number * 7_919 % count)")) }
        }
      },
    ]
  }

  /// URLs of a batch, from 1 to 10,000, through a pipeline in groups of 64.
  static var urls: [GrowthCurve] {
    [
      GrowthCurve(name: "urls/batch of small images", sizes: [1, 10, 100, 1_000, 10_000]) { count in
        try LoadChild.figures("small", "64", "\(count)")[0] * Double(count)
      }
    ]
  }

  /// Frames of an animation of 64×64 pixels, from 1 to 2,000.
  static var frames: [GrowthCurve] {
    [("gif", EncodeOptions.gif), ("webp", .webp(quality: 75)), ("apng", .apng)].map { name, options in
      GrowthCurve(name: "frames/decode \(name)", sizes: [1, 3, 10, 30, 100, 300, 1_000, 2_000]) { count in
        let data = try SampleImages.animation(options, frames: count, width: 64, height: 64)
        return try milliseconds {
          let animation = try AnimatedImage(data: data)
          for index in 0..<animation.frameCount { _ = try animation.frame(at: index) }
        }
      }
    }
  }

  private static func sides(_ thousands: Int) -> PixelSize {
    let width = Int((Double(thousands) * 1_000 * 4 / 3).squareRoot())
    return PixelSize(width: width, height: width * 3 / 4)
  }

  /// Runs work that suspends a single time.
  private static func once(_ work: @escaping @Sendable () async throws -> Void) throws -> Bool {
    let first = Once()
    _ = try asyncMilliseconds {
      guard first.isFirst() else { return }
      try await work()
    }
    return true
  }

  private final class Once: Sendable {
    private let counter = LoadCounter()

    func isFirst() -> Bool { counter.increment() == 0 }
  }
}
