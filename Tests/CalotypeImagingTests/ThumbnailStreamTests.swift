import CPixels
@testable import CalotypeImaging
import FoundationEssentials
import Glibc
import Testing

/// Thumbnails that are made while the picture is decoded are those of the decoded picture.
@Suite struct ThumbnailStreamTests {
  static let files: [String] = {
    let folder = Fixture.folder.appending(path: "Corpus")
    func walk(_ path: String) -> [String] {
      let url = folder.appending(path: path)
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else { return [path] }
      return names.flatMap { walk("\(path)/\($0)") }
    }
    let names = ["jpeg", "png", "apng", "webp", "bmp", "ico", "qoi"].flatMap(walk).map { "Corpus/\($0)" }
    return names.sorted()
  }()

  static let photos = Fixture.folder.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Examples/Photos")

  @Test func thereAreFiles() { #expect(Self.files.count > 50) }

  /// What a decoder that knows nothing of rows would lead to.
  static func whole(_ data: Data, _ options: DecodeOptions) throws(ImagingError) -> Image {
    let decoder = try CoderRegistry.standard.decoder(for: data, hint: nil)
    let info = try decoder.checkedInfo(of: data, page: options.page, limits: options.limits)
    let image = try decoder.decode(
      data, minimumSize: try options.minimumDecodeSize(for: info), options: options)
    return try PostDecode(info: info, options: options).finished(image)
  }

  static func outcome(_ make: () throws(ImagingError) -> Image) -> Result<Bitmap, ImagingError> {
    Result { () throws(ImagingError) in try make().bitmap }
  }

  @Test(arguments: files)
  func sameAsOfTheWhole(file: String) throws {
    let data = try Fixture.data(file)
    for thumbnail in [
      Thumbnail.fit(width: 9, height: 7), .fill(width: 5, height: 11), .stretch(width: 13, height: 3),
      .fit(width: 1, height: 1),
      Thumbnail(box: PixelSize(width: 20, height: 20), mode: .fill, filter: .mitchell, linearLight: true),
      Thumbnail(box: PixelSize(width: 17, height: 0), mode: .fit, filter: .box, effort: .fast),
    ] {
      for options in [
        DecodeOptions(thumbnail: thumbnail),
        DecodeOptions(appliesOrientation: false, thumbnail: thumbnail, colors: .asStored),
        DecodeOptions(allowsPartial: true, thumbnail: thumbnail),
      ] {
        let streamed = Self.outcome { () throws(ImagingError) in
          try CoderRegistry.standard.decode(data, options: options)
        }
        let expected = Self.outcome { () throws(ImagingError) in try Self.whole(data, options) }
        #expect(streamed == expected, "\(thumbnail)")
      }
    }
  }

  @Test(arguments: [
    "dandelion.jpg", "mountains.jpg", "brushes.png", "stream.jpg", "sunset.webp", "meadow.webp",
  ])
  func sameOfPhotographs(file: String) throws {
    let data = try Data(contentsOf: Self.photos.appending(path: file))
    for thumbnail in [
      Thumbnail.fit(width: 320, height: 240), .fill(width: 100, height: 300),
      Thumbnail(box: PixelSize(width: 200, height: 200), mode: .fit, linearLight: true),
    ] {
      let options = DecodeOptions(thumbnail: thumbnail)
      let streamed = try CoderRegistry.standard.decode(data, options: options)
      #expect(streamed.bitmap == (try Self.whole(data, options)).bitmap)
    }
  }

  @Test(arguments: [
    ("dandelion.jpg", 50.0, 44.0, 46.0), ("mountains.jpg", 48, 40, 37), ("stream.jpg", 49, 40, 37),
  ])
  func scaledDecodesAreNearTheFullPicture(file: String, fine: Double, balanced: Double, fast: Double) throws {
    let data = try Data(contentsOf: Self.photos.appending(path: file))
    let box = PixelSize(width: 320, height: 240)
    let decoder = JPEGDecoder()
    let full = try decoder.decode(data, minimumSize: nil, options: DecodeOptions())
    let thumbnail = Thumbnail(box: box, mode: .fit)
    let reference = try full.bitmap.shrunk(
      to: thumbnail, sourceSize: full.bitmap.size, orientation: full.orientation)
    for (effort, decibels) in [(Thumbnail.Effort.fine, fine), (.balanced, balanced), (.fast, fast)] {
      let options = DecodeOptions(
        appliesOrientation: true, thumbnail: Thumbnail(box: box, mode: .fit, effort: effort),
        colors: .asStored)
      let image = try CoderRegistry.standard.decode(data, options: options)
      let expected = try reference.oriented(full.orientation)
      #expect(image.bitmap.size == expected.size)
      let psnr = Self.psnr(ResamplePictures.bytes(image.bitmap), ResamplePictures.bytes(expected))
      #expect(psnr >= decibels, "\(effort): \(psnr) dB")
    }
  }

  @Test(arguments: [("dandelion.jpg", 48.0), ("mountains.jpg", 46), ("stream.jpg", 46)])
  func scaledDecodesAreNearTheFullPictureInLinearLight(file: String, decibels: Double) throws {
    let data = try Data(contentsOf: Self.photos.appending(path: file))
    let thumbnail = Thumbnail(box: PixelSize(width: 320, height: 240), mode: .fit, linearLight: true)
    let full = try CoderRegistry.standard.decode(data)
    let expected = try full.bitmap.shrunk(to: thumbnail, sourceSize: full.bitmap.size, orientation: .topLeft)
    let image = try CoderRegistry.standard.decode(data, options: DecodeOptions(thumbnail: thumbnail))
    let psnr = Self.psnr(ResamplePictures.bytes(image.bitmap), ResamplePictures.bytes(expected))
    #expect(psnr >= decibels, "\(psnr) dB")
  }

  /// Over the colours, in decibels.
  static func psnr(_ a: [UInt8], _ b: [UInt8]) -> Double {
    var sum = 0.0
    for index in a.indices where index % 4 != 3 {
      let difference = Double(a[index]) - Double(b[index])
      sum += difference * difference
    }
    return sum == 0 ? .infinity : 10 * log10(255 * 255 / (sum / Double(a.count / 4 * 3)))
  }

  /// Tall enough that not all rows are in memory; with parts that take no bytes at all.
  @Test(arguments: [true, false], [true, false])
  func sameOfTallWebP(lossless: Bool, opaque: Bool) throws {
    let noise = try ResamplePictures.noise(384, 3000, opaque: opaque, seed: 4)
    let flat = try ResamplePictures.make(384, 3000, opaque: opaque) { x, y in
      y < 2500 ? [200, 100, 50, opaque ? 255 : 128] : [UInt8(x / 2), UInt8(y % 256), 0, 255]
    }
    for bitmap in [noise, flat] {
      var encoding: EncodeOptions = lossless ? .webpLossless : .webp()
      encoding.effort = .fast
      let data = try Image(bitmap: bitmap).encoded(as: encoding)
      for thumbnail in [Thumbnail.fit(width: 20, height: 300), .stretch(width: 7, height: 40)] {
        let options = DecodeOptions(thumbnail: thumbnail)
        let streamed = try CoderRegistry.standard.decode(data, options: options)
        #expect(streamed.bitmap == (try Self.whole(data, options)).bitmap)
      }
    }
  }

  /// Writes and reads 64 MiB as a decoder does, and tells how much of it was in memory at a time.
  static func roll(_ rows: RollingRows) throws -> Int {
    let step = 1 << 20
    var mostResident = 0
    for offset in stride(from: 0, to: rows.byteCount, by: step) {
      memset(rows.base + offset, Int32(offset / step + 1), step)
      // The piece before is still needed.
      if offset >= step {
        #expect(rows.base.load(fromByteOffset: offset - 1, as: UInt8.self) == UInt8(offset / step))
        #expect(rows.base.load(fromByteOffset: offset - step, as: UInt8.self) == UInt8(offset / step))
      }
      try rows.recycle(before: max(0, offset - step), written: offset + step)
      var pages = [UInt8](repeating: 0, count: rows.byteCount / 4096)
      #expect(mincore(rows.base, rows.byteCount, &pages) == 0)
      mostResident = max(mostResident, pages.count { $0 & 1 != 0 } * 4096)
    }
    return mostResident
  }

  @Test func rollingRowsTakeLittleMemory() throws {
    #expect(try Self.roll(#require(RollingRows(byteCount: 64 << 20))) <= 10 << 20)
  }

  @Test func rollingRowsOnSystemsThatCannotMovePages() throws {
    // As Linux before 5.7 does, and as it does when it has unmapped the target before it found out.
    for unmaps in [false, true] {
      let rows = try #require(
        RollingRows(byteCount: 64 << 20) { from, to in
          if unmaps { munmap(to, Int(cpx_page_block)) }
          // A block cannot be moved to where it is.
          return unmaps ? cpx_move_block(to, to) : CPX_NOT_MOVED
        })
      #expect(try Self.roll(rows) == 64 << 20)
    }
    let lost = try #require(RollingRows(byteCount: 8 << 20) { _, _ in CPX_LOST })
    memset(lost.base, 1, 4 << 20)
    #expect(throws: ImagingError.self) { try lost.recycle(before: 2 << 20, written: 4 << 20) }
    cpx_release_pages(lost.base, lost.byteCount)
  }

  /// A PNG whose rows are all there, before a chunk of image data with a wrong checksum.
  @Test func damageBehindTheLastRowIsNone() throws {
    let bitmap = try ResamplePictures.noise(60, 50)
    var data = try Image(bitmap: bitmap).encoded(as: .png)
    data.insert(contentsOf: [0, 0, 0, 0, 0x49, 0x44, 0x41, 0x54, 1, 2, 3, 4], at: data.count - 12)
    #expect(try CoderRegistry.standard.decode(data).bitmap == bitmap)
    let options = DecodeOptions(thumbnail: .fit(width: 20, height: 20))
    #expect(
      try CoderRegistry.standard.decode(data, options: options).bitmap == Self.whole(data, options).bitmap)
  }

  @Test func cutAndDamagedFilesEndAsWithoutThumbnail() throws {
    for file in ["dandelion.jpg", "brushes.png", "mountains.jpg", "sunset.webp"] {
      let data = try Data(contentsOf: Self.photos.appending(path: file))
      var damaged = data
      for index in stride(from: data.count / 3, to: data.count, by: 997) { damaged[index] ^= 0x55 }
      for bytes in [data.prefix(data.count / 2), data.prefix(data.count - 9), damaged] {
        for allowsPartial in [false, true] {
          let options = DecodeOptions(allowsPartial: allowsPartial, thumbnail: .fit(width: 64, height: 64))
          let bytes = Data(bytes)
          let streamed = Self.outcome { () throws(ImagingError) in
            try CoderRegistry.standard.decode(bytes, options: options)
          }
          let expected = Self.outcome { () throws(ImagingError) in try Self.whole(bytes, options) }
          #expect(streamed == expected, "\(file)")
        }
      }
    }
  }

  /// What can be judged only by a decode of the whole takes the memory of the whole, and is refused without it.
  @Test func damagedFilesTakeTheMemoryOfTheWhole() throws {
    let data = try Data(contentsOf: Self.photos.appending(path: "brushes.png"))
    var damaged = data
    for index in stride(from: data.count / 3, to: data.count - 100, by: 997) { damaged[index] ^= 0x55 }
    let info = try CoderRegistry.standard.probe(data)
    var options = DecodeOptions(thumbnail: .fit(width: 64, height: 64))
    let needed = options.wholeByteCount(for: info)
    #expect(options.workingByteCount(for: info) < needed)
    options.limits.maxMemoryBytes = needed
    #expect(try CoderRegistry.standard.decode(damaged, options: options).isDamaged)
    options.limits.maxMemoryBytes = needed - 1
    #expect(throws: ImagingError.limitExceeded(.memory, value: needed, limit: needed - 1)) {
      try CoderRegistry.standard.decode(damaged, options: options)
    }
    #expect(try !CoderRegistry.standard.decode(data, options: options).isDamaged)
  }

  @Test(arguments: ["dandelion.jpg", "mountains.jpg", "brushes.png"])
  func stopsWhenCancelled(file: String) async throws {
    let data = try Data(contentsOf: Self.photos.appending(path: file))
    let task = Task { () throws -> Image in
      withUnsafeCurrentTask { $0?.cancel() }
      return try CoderRegistry.standard.decode(
        data, options: DecodeOptions(thumbnail: .fit(width: 320, height: 240)))
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
