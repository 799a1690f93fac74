import FoundationEssentials
import Synchronization
import Testing

@testable import CalotypeImaging

/// Qualities that are searched.
@Suite("Quality targets")
struct QualityTargetTests {
  /// Counts the encodes of another encoder.
  final class Counting: ImageEncoding {
    let encoder: any ImageEncoding
    let qualities = Mutex<[Int]>([])

    init(_ encoder: any ImageEncoding) { self.encoder = encoder }

    var format: ImageFormat { encoder.format }
    func usesQuality(_ options: EncodeOptions) -> Bool { encoder.usesQuality(options) }

    func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
      qualities.withLock { $0.append(options.quality) }
      return try encoder.encode(image, options: options)
    }
  }

  static func registry(_ encoder: Counting) -> CoderRegistry {
    var coders = CoderRegistry.standard
    coders.register(encoder)
    return coders
  }

  static let photos = [
    "dandelion.jpg", "stream.jpg", "dogs.webp", "meadow.webp", "mountains.jpg", "sunset.webp", "brushes.png",
  ]

  @Test(
    "a score is met within three encodes", arguments: photos,
    [EncodeOptions.jpeg(quality: .target(.ssimulacra2(70))), .webp(quality: .target(.ssimulacra2(75)))])
  func scores(photo: String, options: EncodeOptions) throws {
    let picture = try PhotoFixture.picture(photo, side: 320)
    let encoder = Counting(options.format == .jpeg ? JPEGEncoder() : WebPEncoder())
    let coders = Self.registry(encoder)
    let data = try coders.encode(Image(bitmap: picture), as: options)
    let opaque = try Transforms.Flatten().apply(to: picture)
    let original = options.format == .jpeg ? opaque : picture
    let score = try ImageQuality(original: original).ssimulacra2(of: coders.decode(data).bitmap)
    guard case .ssimulacra2(let wanted) = options.qualityTarget?.measure else { return }
    #expect(abs(score - wanted) < 1.5, "\(score) at \(encoder.qualities.withLock { $0 })")
    #expect(encoder.qualities.withLock(\.count) <= 3)
  }

  @Test("a dissimilarity is met, too")
  func dissimilarity() throws {
    let picture = try PhotoFixture.picture("stream.jpg", side: 320)
    let data = try CoderRegistry.standard.encode(
      Image(bitmap: picture), as: .jpeg(quality: .target(.dssim(0.01), range: 0...100)))
    let measured = try ImageQuality(original: picture).dssim(of: CoderRegistry.standard.decode(data).bitmap)
    #expect(abs(measured - 0.01) < 0.001)
  }

  @Test("no quality outside of the range is tried; the best one in it is delivered")
  func ranges() throws {
    let picture = Image(bitmap: try PhotoFixture.picture("stream.jpg", side: 160))
    for (wanted, range, expected) in [(95.0, 40...60, 60), (5.0, 40...60, 40), (70.0, 50...50, 50)] {
      let encoder = Counting(JPEGEncoder())
      let data = try Self.registry(encoder).encode(
        picture, as: .jpeg(quality: .target(.ssimulacra2(wanted), range: range)))
      #expect(encoder.qualities.withLock { $0.allSatisfy(range.contains) && $0.contains(expected) })
      #expect(data == (try JPEGEncoder().encode(picture, options: .jpeg(quality: expected))))
    }
  }

  @Test("the smallest of the attempts that are good enough")
  func smallest() throws {
    let picture = Image(bitmap: try PhotoFixture.picture("dandelion.jpg", side: 320))
    let encoder = Counting(JPEGEncoder())
    let data = try Self.registry(encoder).encode(
      picture, as: .jpeg(quality: .target(.ssimulacra2(70), tolerance: 0)))
    let quality = try ImageQuality(original: picture.bitmap)
    let tried = try encoder.qualities.withLock { $0 }.map { number in
      let file = try JPEGEncoder().encode(picture, options: .jpeg(quality: number))
      return (file, try quality.ssimulacra2(of: CoderRegistry.standard.decode(file).bitmap))
    }
    let good = tried.filter { $0.1 >= 70 }.map(\.0).min { $0.count < $1.count }
    #expect(data == (good ?? tried.max { $0.1 < $1.1 }?.0))
    #expect(tried.count > 1)
  }

  @Test("tiny pictures, transparent ones, animations, and formats without a quality")
  func others() throws {
    let target = QualityTarget.target(.ssimulacra2(70))
    for side in [1, 8, 10] {
      let encoder = Counting(JPEGEncoder())
      let tiny = Image(bitmap: try ImageQualityTests.ramp(max(2, side), max(2, side)))
      _ = try Self.registry(encoder).encode(tiny, as: .jpeg(quality: target))
      #expect(encoder.qualities.withLock(\.count) == 1)
    }
    let clear = Image(bitmap: try PhotoFixture.picture("brushes.png", side: 200))
    for options in [EncodeOptions.jpeg(quality: target), .webp(quality: target)] {
      let data = try CoderRegistry.standard.encode(clear, as: options)
      #expect(data.count > 1000)
    }
    var png = EncodeOptions.png
    png.qualityTarget = target
    #expect(
      try CoderRegistry.standard.encode(clear, as: png) == CoderRegistry.standard.encode(clear, as: .png))
    let frame = AnimationSource.Frame(bitmap: clear.bitmap, duration: .milliseconds(100))
    let other = AnimationSource.Frame(
      bitmap: try ImageQualityTests.ramp(clear.bitmap.width, clear.bitmap.height),
      duration: .milliseconds(100))
    let animation = AnimationSource(frameCount: 2, loopCount: 0) { $0 == 0 ? frame : other }
    let moving = try CoderRegistry.standard.encode(animation, as: .webp(quality: target))
    #expect(try CoderRegistry.standard.probe(moving).frameCount == 2)
  }

  @Test("a limit of bytes comes after the target")
  func limits() throws {
    let picture = Image(bitmap: try PhotoFixture.picture("stream.jpg", side: 320))
    var options = EncodeOptions.jpeg(quality: .target(.ssimulacra2(80)))
    let full = try CoderRegistry.standard.encode(picture, as: options).count
    options.maxFileSize = full / 2
    let data = try CoderRegistry.standard.encode(picture, as: options)
    #expect(data.count <= full / 2 && data.count > full / 2 * 9 / 10)
  }

  @Test("a limit of bytes is met closely, in few encodes", arguments: [0.9, 0.5, 0.25, 0.1])
  func sizes(share: Double) throws {
    let picture = Image(bitmap: try PhotoFixture.picture("stream.jpg", side: 320))
    let encoder = Counting(JPEGEncoder())
    var options = EncodeOptions.jpeg(quality: 90)
    let full = try JPEGEncoder().encode(picture, options: options).count
    options.maxFileSize = Int(Double(full) * share)
    let data = try Self.registry(encoder).encode(picture, as: options)
    let limit = try #require(options.maxFileSize)
    let qualities = encoder.qualities.withLock { $0 }
    #expect(
      data.count <= limit && Double(data.count) > 0.93 * Double(limit),
      "\(data.count) of \(limit): \(qualities)")
    #expect(qualities.count <= 5, "\(qualities)")
    // None of the next better qualities fits, unless the file is as large as wanted.
    if Double(data.count) < 0.97 * Double(limit) {
      let best = try #require(
        qualities.first { (try? JPEGEncoder().encode(picture, options: .jpeg(quality: $0))) == data })
      #expect(try JPEGEncoder().encode(picture, options: .jpeg(quality: best + 1)).count > limit)
    }
  }

  @Test(
    "meaningless targets are refused",
    arguments: [
      QualityTarget.target(.ssimulacra2(.nan)), .target(.ssimulacra2(101)), .target(.dssim(0)),
      .target(.dssim(2)),
      .target(.ssimulacra2(70), tolerance: -1), .target(.ssimulacra2(70), range: -1...50),
      .target(.ssimulacra2(70), range: 50...101),
    ])
  func refusals(target: QualityTarget) throws {
    let image = Image(bitmap: try ImageQualityTests.ramp(20, 20))
    let error = #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.encode(image, as: .jpeg(quality: target))
    }
    #expect(error?.code == "invalidParameter")
  }
}
