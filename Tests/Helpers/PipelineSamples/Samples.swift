import CalotypeSupport
package import FoundationEssentials

@testable package import Calotype

/// What the tests of the pipeline share: sample bytes, and pipelines over caches of their own.
package enum Samples {
  /// One attempt, and no memory of what failed: tests change what a server answers.
  package static let loader = LoaderGroup.standard.adding(CurlLoader.shared)

  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  package static func fixture(_ path: String) -> URL { root.appending(path: "Tests/Fixtures/Corpus/\(path)") }

  package static func photo(_ name: String) throws -> Data {
    try Data(contentsOf: root.appending(path: "Examples/Photos/\(name)"))
  }

  /// 1731×1151 pixels.
  package static let stream = try? photo("stream.jpg")

  /// A small PNG of one colour.
  package static func png(width: Int = 8, height: Int = 8, shade: UInt8 = 128) throws -> Data {
    let bitmap = try Bitmap(size: PixelSize(width: width, height: height)) { pixels throws(ImagingError) in
      for index in pixels.indices { pixels[index] = index % 4 == 3 ? 255 : shade }
      return true
    }
    return try Image(bitmap: bitmap).encoded(as: .png)
  }
}
