import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// What the tests of pipelines under load share.
enum LoadSamples {
  /// A PNG that does not shrink: about four bytes a pixel.
  static func noise(_ width: Int, _ height: Int, seed: UInt64 = 1) throws -> Data {
    var random = SeededGenerator(seed: seed)
    let bitmap = try Bitmap(size: PixelSize(width: width, height: height)) { pixels throws(ImagingError) in
      for index in pixels.indices {
        pixels[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: random.next())
      }
      return true
    }
    return try Image(bitmap: bitmap).encoded(as: .png)
  }

  /// A URL of a host, without a file system or network behind it.
  static func url(_ host: String, _ path: String = "a.png") throws -> URL {
    try #require(URL(string: "http://\(host)/\(path)"))
  }

  /// A pipeline without caches, unless `change` gives it some.
  static func pipeline(
    _ loader: any ImageLoading, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    var configuration = ImagePipeline.Configuration(loader: loader, memoryCache: nil, diskCache: nil)
    change(&configuration)
    return ImagePipeline(configuration)
  }
}

extension ImagePipeline {
  /// Waits until something is so.
  nonisolated func until(_ condition: (Statistics) -> Bool) async throws {
    try await eventually { condition(statistics) }
  }
}
