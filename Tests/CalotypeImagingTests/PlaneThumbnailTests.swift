import FoundationEssentials
import Testing

import CPixels

@testable import CalotypeImaging

/// Thumbnails of JPEG that are made of planes, before luma and chroma are joined.
struct PlaneThumbnailTests {
  private static func thumbnail(_ data: Data, _ thumbnail: Thumbnail, _ effort: Thumbnail.Effort) throws
    -> Bitmap
  {
    var thumbnail = thumbnail
    thumbnail.effort = effort
    return try CoderRegistry.standard.decode(
      data, options: DecodeOptions(thumbnail: thumbnail, colors: .asStored)
    ).bitmap
  }

  /// All samplings, odd sides, crops, progressive files.
  @Test(arguments: EncodeOptions.Subsampling.allCases, [false, true])
  func nearTheThumbnailOfPixels(subsampling: EncodeOptions.Subsampling, progressive: Bool) throws {
    let photo = try CoderRegistry.standard.decode(
      Data(contentsOf: ThumbnailStreamTests.photos.appending(path: "mountains.jpg")),
      options: DecodeOptions(thumbnail: .fill(width: 1283, height: 771)))
    var options = EncodeOptions.jpeg(quality: 92)
    options.subsampling = subsampling
    options.effort = progressive ? .small : .balanced
    let data = try photo.encoded(as: options)
    for thumbnail in [
      Thumbnail.fit(width: 320, height: 320), .fill(width: 101, height: 99), .fit(width: 97),
      .fit(width: 790), .stretch(width: 160, height: 400),
    ] {
      let planes = try Self.thumbnail(data, thumbnail, .balanced)
      let pixels = try Self.thumbnail(data, thumbnail, .fine)
      #expect(planes.size == pixels.size)
      #expect(planes.isOpaque && planes.format == .rgba8)
      let psnr = ThumbnailStreamTests.psnr(ResamplePictures.bytes(planes), ResamplePictures.bytes(pixels))
      #expect(psnr > 38, "\(thumbnail.identity): \(psnr) dB")
    }
  }

  /// The colours of saturated edges stay where they are: chroma is not shifted against luma.
  @Test func chromaIsNotShifted() throws {
    let (width, height) = (1024, 512)
    let picture = try Bitmap(size: PixelSize(width: width, height: height), format: .rgba8) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          let isRed = x < width / 2
          let pixel: [UInt8] = isRed ? [200, 40, 40, 255] : [40, 40, 200, 255]
          for c in 0..<4 { pixels[(y * width + x) * 4 + c] = pixel[c] }
        }
      }
      return true
    }
    var options = EncodeOptions.jpeg(quality: 98)
    options.subsampling = .yuv420
    let data = try Image(bitmap: picture).encoded(as: options)
    let small = try Self.thumbnail(data, .fit(width: 128), .balanced)
    let bytes = ResamplePictures.bytes(small)
    for y in [0, 20, small.height - 1] {
      let (left, right) = ((y * 128 + 60) * 4, (y * 128 + 67) * 4)
      #expect(abs(Int(bytes[left]) - 200) < 6 && abs(Int(bytes[left + 2]) - 40) < 6)
      #expect(abs(Int(bytes[right]) - 40) < 6 && abs(Int(bytes[right + 2]) - 200) < 6)
      // The edge is symmetric: its two sides add up.
      let (a, b) = ((y * 128 + 63) * 4, (y * 128 + 64) * 4)
      #expect(abs(Int(bytes[a]) + Int(bytes[b]) - 240) < 8)
    }
  }

  /// Cut files end with the grey of lost blocks, or fail, as without planes.
  @Test func cutFiles() throws {
    let data = try Data(contentsOf: ThumbnailStreamTests.photos.appending(path: "mountains.jpg"))
    for share in [0.3, 0.6, 0.9] {
      let cut = data.prefix(Int(Double(data.count) * share))
      var thumbnail = Thumbnail.fit(width: 200)
      thumbnail.effort = .balanced
      #expect(throws: ImagingError.self) {
        try CoderRegistry.standard.decode(Data(cut), options: DecodeOptions(thumbnail: thumbnail))
      }
      var pictures: [Bitmap] = []
      for effort in [Thumbnail.Effort.balanced, .fine] {
        thumbnail.effort = effort
        let image = try CoderRegistry.standard.decode(
          Data(cut), options: DecodeOptions(allowsPartial: true, thumbnail: thumbnail, colors: .asStored))
        #expect(image.isPartial)
        pictures.append(image.bitmap)
      }
      let psnr = ThumbnailStreamTests.psnr(
        ResamplePictures.bytes(pictures[0]), ResamplePictures.bytes(pictures[1]))
      #expect(psnr > 32, "\(share): \(psnr) dB")
    }
  }

  /// One channel is filtered to the bytes of four equal ones, by all instruction sets.
  @Test func grayIsFilteredAsPixels() throws {
    let size = PixelSize(width: 261, height: 140)
    let gray = try Bitmap(size: size, format: .gray8) { pixels in
      for i in pixels.indices { pixels[i] = UInt8(truncatingIfNeeded: i &* 73 ^ (i >> 5)) }
      return true
    }
    let pixels = try gray.converted(to: .rgba8)
    for (width, height) in [(100, 50), (7, 3), (261, 9), (300, 200), (1, 1)] {
      let target = PixelSize(width: width, height: height)
      let expected = try pixels.resampled(to: target).converted(to: .gray8)
      for level in [CPX_LEVEL_PORTABLE, CPX_LEVEL_SIMD128, CPX_LEVEL_SIMD256, CPX_LEVEL_SIMD512] {
        #expect(
          try gray.resampled(to: target, from: nil, filter: .lanczos3, level: level) == expected,
          "\(target), \(level)")
      }
    }
  }
}
