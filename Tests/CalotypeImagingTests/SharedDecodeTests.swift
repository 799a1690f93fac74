import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Several sizes of one picture at once are the same as one after the other.
@Suite("Shared decodes")
struct SharedDecodeTests {
  private static let sizes: [Thumbnail?] = [
    .fit(width: 9, height: 7), .fill(width: 5, height: 11), .stretch(width: 13, height: 3), nil,
    .fit(width: 1, height: 1), .fit(width: 9, height: 7), .fit(width: 64, height: 64),
    .fit(width: 10_000, height: 10_000),
    Thumbnail(box: PixelSize(width: 20, height: 20), mode: .fill, filter: .mitchell, linearLight: true),
    Thumbnail(box: PixelSize(width: 17, height: 0), mode: .fit, filter: .box, effort: .fast),
  ]

  private static func separately(
    _ data: Data, _ thumbnails: [Thumbnail?], _ options: DecodeOptions
  ) throws(ImagingError) -> [Image] {
    try thumbnails.map { thumbnail throws(ImagingError) in
      var options = options
      options.thumbnail = thumbnail
      return try CoderRegistry.standard.decode(data, options: options)
    }
  }

  private static func expectSame(_ data: Data, _ thumbnails: [Thumbnail?], _ options: DecodeOptions) {
    let expected = Result { () throws(ImagingError) in try separately(data, thumbnails, options) }
    let shared = Result { () throws(ImagingError) in
      try CoderRegistry.standard.decode(data, thumbnails: thumbnails, options: options)
    }
    switch (shared, expected) {
    case (.success(let shared), .success(let expected)):
      #expect(shared.count == expected.count)
      for (a, b) in zip(shared, expected) {
        #expect(a.bitmap == b.bitmap && a.bitmap.isOpaque == b.bitmap.isOpaque)
        #expect(a.info == b.info && a.isPartial == b.isPartial && a.orientation == b.orientation)
        #expect(a.profile == b.profile && a.metadata == b.metadata)
      }
    case (.failure(let a), .failure(let b)): #expect(a == b)
    default: Issue.record("\(shared) instead of \(expected)")
    }
  }

  static let files: [String] = {
    let folder = Fixture.folder.appending(path: "Corpus/gif")
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    let gifs = names.filter { $0.hasSuffix(".gif") }.map { "Corpus/gif/\($0)" }.sorted()
    return ThumbnailStreamTests.files + gifs
  }()

  @Test(arguments: files)
  func sameAsOneAfterTheOther(file: String) throws {
    let data = try Fixture.data(file)
    // Those that can be made row by row, and all.
    let streamed = Self.sizes.compactMap { $0 }.filter { $0.box.width < 18 }
    for options in [
      DecodeOptions(), DecodeOptions(appliesOrientation: false, colors: .asStored),
      DecodeOptions(allowsPartial: true, readsMetadata: true), DecodeOptions(maxPixels: 300),
    ] {
      Self.expectSame(data, streamed, options)
      Self.expectSame(data, Self.sizes, options)
    }
  }

  @Test(arguments: [
    "dandelion.jpg", "mountains.jpg", "brushes.png", "stream.jpg", "sunset.webp", "meadow.webp",
  ])
  func sameOfPhotographs(file: String) throws {
    let data = try Data(contentsOf: ThumbnailStreamTests.photos.appending(path: file))
    let thumbnails: [Thumbnail?] = [
      .fit(width: 320, height: 240), .fill(width: 100, height: 300), .fit(width: 640),
      .stretch(width: 33, height: 400), .fit(width: 1_000, height: 1_000), .fit(width: 200, height: 200),
      Thumbnail(box: PixelSize(width: 200, height: 200), mode: .fit, linearLight: true),
    ]
    Self.expectSame(data, thumbnails, DecodeOptions())
    Self.expectSame(data, thumbnails + [nil], DecodeOptions())
    Self.expectSame(
      data, [.fit(width: 300, height: 300), .fit(width: 100, height: 100)],
      DecodeOptions(transforms: [.flip(.horizontal)]))
  }

  /// A coder of JPEG that counts.
  private struct Counting: ImageDecoding {
    final class Count: @unchecked Sendable {
      // Used by one test, on one thread.
      var decodes = 0
    }
    let count = Count()
    var formats: [ImageFormat] { [.png] }
    func format(of prefix: Data) -> ImageFormat? { PNGDecoder().format(of: prefix) }
    func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
      try PNGDecoder().probe(data, limits: limits)
    }
    func decode(_ data: Data, minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> Image {
      count.decodes += 1
      return try PNGDecoder().decode(data, minimumSize: minimumSize, options: options)
    }
  }

  /// What it makes of the options is its own affair.
  @Test func codersOfOthersDecodeForEach() throws {
    let coder = Counting()
    var registry = CoderRegistry.standard
    registry.register(coder)
    let data = try Fixture.data("Corpus/png/pngsuite/basi6a08.png")
    let images = try registry.decode(
      data, thumbnails: [.fit(width: 9, height: 9), .fit(width: 8, height: 8), nil])
    #expect(images.map(\.bitmap.width) == [9, 8, 32] && coder.count.decodes == 3)
  }

  @Test func rowsGoToAllThatShareThem() throws {
    let bitmap = try ResamplePictures.noise(300, 200, opaque: true, seed: 7)
    let data = try Image(bitmap: bitmap).encoded(as: EncodeOptions(format: .png))
    let info = try PNGDecoder().probe(data, limits: .default)
    let shrinker = RowShrinker(
      [.fit(width: 100, height: 100), .fill(width: 20, height: 50), .stretch(width: 7, height: 150)],
      of: info, options: DecodeOptions())
    let image = try PNGDecoder().decode(
      data, minimumSize: nil, options: DecodeOptions(), shrinkingBy: shrinker)
    #expect(shrinker.isUsed && image.bitmap == shrinker.bitmaps[0])
    #expect(shrinker.bitmaps.map(\.size.width) == [100, 20, 7])
    // One that needs the whole: none is made of rows.
    let other = RowShrinker(
      [.fit(width: 100, height: 100), .fit(width: 300, height: 200)], of: info, options: DecodeOptions())
    let whole = try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions(), shrinkingBy: other)
    #expect(!other.isUsed && whole.bitmap == bitmap)
  }

  @Test func jpegsAreSharedByScale() {
    let size = PixelSize(width: 4_000, height: 3_000)
    func divisor(_ width: Int, _ height: Int) -> Int {
      JPEGDecoder().scaleDivisor(for: size, minimumSize: PixelSize(width: width, height: height)) ?? 0
    }
    #expect([divisor(100, 75), divisor(500, 375), divisor(501, 375), divisor(2_001, 1_000)] == [8, 8, 4, 1])
    #expect(JPEGDecoder().scaleDivisor(for: size, minimumSize: nil) == 1)
  }

  @Test func nothingAndNonsense() throws {
    let data = try Fixture.data("Corpus/png/pngsuite/basi6a08.png")
    #expect(try CoderRegistry.standard.decode(Data(), thumbnails: []).isEmpty)
    #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.decode(
        data, thumbnails: [.fit(width: 9, height: 9), .fit(width: -1, height: 2)])
    }
    #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.decode(
        data, thumbnails: [.fit(width: 9, height: 9)], options: DecodeOptions(pixels: .native))
    }
  }

  @Test func cancellation() async throws {
    let data = try Data(contentsOf: ThumbnailStreamTests.photos.appending(path: "dandelion.jpg"))
    let error = await Task { () -> ImagingError? in
      do throws(ImagingError) {
        withUnsafeCurrentTask { $0?.cancel() }
        _ = try CoderRegistry.standard.decode(
          data, thumbnails: [.fit(width: 90, height: 90), .fit(width: 80, height: 80)])
        return nil
      } catch {
        return error
      }
    }.value
    #expect(error == .cancelled)
  }
}
