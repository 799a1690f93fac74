import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// The scans of a progressive JPEG of which a picture at an eighth of its size shows nothing are not read.
@Suite("Hidden scans of JPEG")
struct HiddenScanTests {
  /// Where the header of a scan and its codes begin, where they end, and whether it is one of details.
  private struct Scan {
    var codes: Range<Int>
    var hasDetails: Bool
  }

  private static func scans(of data: Data) throws -> [Scan] {
    let bytes = [UInt8](data)
    var scans: [Scan] = []
    var at = 2
    while at + 4 <= bytes.count, bytes[at + 1] != 0xD9 {
      let (marker, length) = (bytes[at + 1], Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
      let start = at
      at += 2 + length
      guard marker == 0xDA else { continue }
      let codes = at
      while !(bytes[at] == 0xFF && bytes[at + 1] != 0 && !(0xD0...0xD7).contains(bytes[at + 1])) { at += 1 }
      let first = bytes[start + 5 + 2 * Int(bytes[start + 4])]
      scans.append(Scan(codes: codes..<at, hasDetails: first > 0))
    }
    return scans
  }

  private static func picture(_ subsampling: EncodeOptions.Subsampling) throws -> Data {
    let photo = try CoderRegistry.standard.decode(
      Data(contentsOf: ThumbnailStreamTests.photos.appending(path: "mountains.jpg")),
      options: DecodeOptions(thumbnail: .fill(width: 803, height: 597)))
    var options = EncodeOptions.jpeg(quality: 90)
    options.subsampling = subsampling
    options.isProgressive = true
    return try photo.encoded(as: options)
  }

  private static func eighth(_ data: Data, _ options: DecodeOptions = DecodeOptions(colors: .asStored)) throws
    -> Bitmap
  {
    let size = try JPEGHeader(data).size
    let small = PixelSize(width: (size.width + 7) / 8, height: (size.height + 7) / 8)
    return try JPEGDecoder().decode(data, minimumSize: small, options: options).bitmap
  }

  /// The options of a thumbnail that is made of an eighth: with this effort, chroma at the size of luma or less.
  private static var options: DecodeOptions {
    var thumbnail = Thumbnail.fit(width: 48)
    thumbnail.effort = .balanced
    return DecodeOptions(thumbnail: thumbnail, colors: .asStored)
  }

  private static func thumbnail(_ data: Data, damage: DamagePolicy = .tolerate) throws -> Image {
    var options = options
    options.damage = damage
    return try CoderRegistry.standard.decode(data, options: options)
  }

  @Test(arguments: EncodeOptions.Subsampling.allCases)
  func samePixelsAsTheLibrary(subsampling: EncodeOptions.Subsampling) throws {
    let data = try Self.picture(subsampling)
    let library = try LibraryDecode(data, denominator: 8, maxPixels: 1 << 20, maxScans: 100)
    #expect(ResamplePictures.bytes(try Self.eighth(data)) == library.bitmap)
  }

  /// Pictures that arrive have no planes of their own scale: all components have the scale of luma here.
  @Test func samePixelsInPieces() throws {
    let data = try Self.picture(.yuv444)
    let options = DecodeOptions(thumbnail: .fit(width: 48), colors: .asStored)
    let whole = try CoderRegistry.standard.decode(data, options: options)
    for count in [1, 997, 65_536] {
      let decoder = CoderRegistry.standard.makeIncrementalDecoder(options: options)
      var start = 0
      while start < data.count {
        let end = min(data.count, start + count)
        try decoder.append(data[start..<end])
        start = end
      }
      #expect(ResamplePictures.bytes(try decoder.finish().bitmap) == ResamplePictures.bytes(whole.bitmap))
    }
  }

  /// The codes of details may be anything, and cost nothing; strict decodes still read them.
  @Test(arguments: [EncodeOptions.Subsampling.yuv444, .yuv420])
  func detailsAreNotRead(subsampling: EncodeOptions.Subsampling) throws {
    let data = try Self.picture(subsampling)
    let scans = try Self.scans(of: data)
    #expect(scans.count { $0.hasDetails } >= 3)
    var bytes = [UInt8](data)
    for scan in scans where scan.hasDetails {
      for index in scan.codes where bytes[index] != 0xFF && bytes[index - 1] != 0xFF { bytes[index] = 0xAA }
    }
    let damaged = Data(bytes)
    #expect(throws: ImagingError.self) { try Self.thumbnail(damaged, damage: .strict) }
    let (shown, sound) = (try Self.thumbnail(damaged), try Self.thumbnail(data))
    #expect(!shown.isDamaged && !shown.isPartial)
    #expect(ResamplePictures.bytes(shown.bitmap) == ResamplePictures.bytes(sound.bitmap))
    // The whole picture needs them.
    #expect(try CoderRegistry.standard.decode(damaged, options: DecodeOptions(colors: .asStored)).isDamaged)
  }

  /// A picture that is larger than an eighth shows details.
  @Test func detailsOfLargerPicturesAreRead() throws {
    let data = try Self.picture(.yuv444)
    var bytes = [UInt8](data)
    let details = try #require(try Self.scans(of: data).first { $0.hasDetails })
    for index in details.codes where bytes[index] != 0xFF && bytes[index - 1] != 0xFF { bytes[index] = 0xAA }
    let options = DecodeOptions(thumbnail: .fit(width: 201), colors: .asStored)
    #expect(try CoderRegistry.standard.decode(Data(bytes), options: options).isDamaged)
  }

  /// A file that is cut off is one, wherever.
  @Test func cutInDetails() throws {
    let data = try Self.picture(.yuv420)
    for scan in try Self.scans(of: data) where scan.hasDetails {
      for end in [
        scan.codes.lowerBound, scan.codes.lowerBound + 1, (scan.codes.lowerBound + scan.codes.upperBound) / 2,
      ] {
        #expect { try Self.thumbnail(data.prefix(end)) } throws: { error in
          if case .truncated(.jpeg, _) = error as? ImagingError { true } else { false }
        }
        var options = Self.options
        options.allowsPartial = true
        let partial = try? CoderRegistry.standard.decode(data.prefix(end), options: options)
        #expect(partial?.isPartial != false)
      }
    }
  }

  /// Damage within the codes of details shows nowhere; a marker of the end there hides the scans that follow.
  @Test func markersInDetails() throws {
    let data = try Self.picture(.yuv420)
    let scans = try Self.scans(of: data)
    let details = try #require(scans.first { $0.hasDetails })
    let middle = (details.codes.lowerBound + details.codes.upperBound) / 2
    let sound = ResamplePictures.bytes(try Self.thumbnail(data).bitmap)
    for marker: UInt8 in [0x97, 0xBF, 0xD3] {
      var bytes = [UInt8](data)
      bytes.replaceSubrange(middle..<middle + 2, with: [0xFF, marker])
      let shown = try Self.thumbnail(Data(bytes))
      #expect(!shown.isDamaged && ResamplePictures.bytes(shown.bitmap) == sound)
    }
    #expect(try Self.thumbnail(data.prefix(middle) + [0xFF, 0xD9]).isDamaged)
    // The end behind a scan is an early one, as servers make them.
    #expect(try !Self.thumbnail(data.prefix(details.codes.upperBound) + [0xFF, 0xD9]).isDamaged)
    // Codes that are not read and have no end may be a part.
    #expect(scans.last?.hasDetails == true)
    #expect(throws: ImagingError.self) { try Self.thumbnail(data.dropLast(2)) }
  }

  /// Scans that are skipped count.
  @Test func scansAreLimited() throws {
    let data = try Self.picture(.yuv420)
    let scans = try Self.scans(of: data)
    var options = Self.options
    options.limits.maxScans = scans.count - 1
    #expect { try CoderRegistry.standard.decode(data, options: options) } throws: { error in
      if case .limitExceeded(.scans, _, _) = error as? ImagingError { true } else { false }
    }
  }
}
