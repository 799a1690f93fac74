#if JXL
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("JPEG XL: encoding")
struct JXLEncoderTests {
  @Test("each step of quality lowers the distance, and makes no smaller file of a photograph")
  func quality() throws {
    let distances = (0...100).map { JXLQuality.distance(for: $0) }
    #expect(zip(distances, distances.dropFirst()).allSatisfy { $0 > $1 })
    #expect(distances.allSatisfy { (0.01...15).contains($0) })
    let photo = try Image(data: Fixture.data("Corpus/jpeg/" + Self.photo), options: DecodeOptions())
    let sizes = try stride(from: 0, through: 100, by: 20).map {
      try photo.encoded(as: .jxl(quality: $0)).count
    }
    #expect(sizes == sizes.sorted() && sizes[0] * 4 < sizes[5])
    #expect(throws: ImagingError.self) { try photo.encoded(as: .jxl(quality: 101)) }
  }

  private static let photo = "exif/f-orientation-6.jpg"

  @Test("metadata that are kept, and only those")
  func metadata() throws {
    let source = try Image(
      data: Fixture.data("Corpus/jpeg/" + Self.photo), options: DecodeOptions(readsMetadata: true))
    var image = Image(bitmap: source.bitmap, metadata: source.metadata)
    let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
    image = Image(bitmap: image.bitmap, metadata: ImageMetadata(exif: source.metadata.exif, xmp: xmp))
    for kinds in [[], [.exif], [.xmp], [.exif, .xmp]] as [Set<ImageMetadata.Kind>] {
      var options = EncodeOptions.jxl()
      options.keeps = kinds
      let data = try image.encoded(as: options)
      let read = try Image(data: data, options: DecodeOptions(readsMetadata: true))
      #expect(read.metadata == image.metadata.kept(kinds))
      #expect(read.metadata.xmp == nil || kinds.contains(.xmp))
    }
  }

  @Test("hidden colours survive without loss; opaque pictures have no alpha")
  func alpha() throws {
    let bitmap = try Bitmap(size: PixelSize(width: 20, height: 20)) { pixels in
      for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index &* 7) }
      for index in stride(from: 3, to: pixels.count, by: 8) { pixels[index] = 0 }
      return false
    }
    let data = try Image(bitmap: bitmap).encoded(as: .jxlLossless)
    let image = try Image(data: data)
    #expect(image.bitmap == bitmap && image.info?.hasAlpha == true)
    let opaque = try Image(bitmap: SampleImages.bitmap()).encoded(as: .jxl())
    #expect(try CoderRegistry.standard.probe(opaque).hasAlpha == false)
  }

  @Test("a limit on the size of the file")
  func fitted() throws {
    var options = EncodeOptions.jxl(quality: 95)
    let image = Image(bitmap: try SampleImages.bitmap(width: 200, height: 200))
    let full = try image.encoded(as: options)
    options.maxFileSize = full.count / 2
    #expect(try image.encoded(as: options).count <= full.count / 2)
  }
}

@Suite("JPEG XL: transcoding of JPEG")
struct JXLTranscoderTests {
  @Test(
    "the same bytes come back, and the pixels are those of the JPEG",
    arguments: [
      "exif/f-orientation-6.jpg", "generated/size-31x9-progressive.jpg",
    ])
  func identity(name: String) throws {
    let jpeg = try Fixture.data("Corpus/jpeg/" + name)
    let jxl = try JXLTranscoder.jxl(from: jpeg)
    #expect(try JXLTranscoder.jpeg(from: jxl) == jpeg)
    let (a, b) = (try Image(data: jpeg), try Image(data: jxl))
    #expect(a.size == b.size && a.info?.orientation == b.info?.orientation)
    let difference = a.bitmap.withUnsafeBytes { x in
      b.bitmap.withUnsafeBytes { y in zip(x, y).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } / x.count }
    }
    #expect(difference <= 2)
  }

  @Test("what is no JPEG, and a JPEG XL that was not made of one")
  func refusals() throws {
    let png = try SampleImages.still()
    #expect(throws: ImagingError.self) { try JXLTranscoder.jxl(from: png) }
    let jxl = try SampleImages.still(.jxl())
    #expect(
      throws: ImagingError.unsupportedFormat(
        .jxl, reason: "it was not made of a JPEG, so there is none to restore")
    ) {
      try JXLTranscoder.jpeg(from: jxl)
    }
    let jpeg = try SampleImages.still(.jpeg(), width: 100, height: 80)
    #expect(throws: ImagingError.self) { try JXLTranscoder.jxl(from: jpeg.prefix(jpeg.count / 2)) }
    let whole = try JXLTranscoder.jxl(from: jpeg)
    for count in stride(from: 0, to: whole.count, by: 7) {
      #expect(throws: ImagingError.self) { try JXLTranscoder.jpeg(from: whole.prefix(count)) }
    }
    #expect(throws: ImagingError.self) {
      try JXLTranscoder.jxl(from: jpeg, limits: DecodeLimits(maxPixels: 7999))
    }
  }
}
#endif
