import CPixels
import Foundation
import Testing

@testable import CalotypeImaging

/// Measures against values of other implementations: SSIMULACRA2 of the PyPI package `ssimulacra2` 0.3.0 with the window and the
/// borders of libjxl, SSIM by scipy.
@Suite("Image quality")
struct ImageQualityTests {
  static func pattern(_ width: Int, _ height: Int, step: Int = 1) throws -> Bitmap {
    try ResamplePictures.make(width, height) { x, y in
      [x * 3 + y, x * y / 7 + y * 5, x * x / 9 + 2 * y].map { UInt8($0 % 256 / step * step) } + [255]
    }
  }

  static func ramp(_ width: Int, _ height: Int, step: Int = 1) throws -> Bitmap {
    try ResamplePictures.make(width, height) { x, y in
      [x * 255 / (width - 1), y * 255 / (height - 1), (x + y) * 255 / (width + height - 2)]
        .map { UInt8($0 / step * step) } + [255]
    }
  }

  @Test(
    "scores are those of other implementations",
    arguments: [
      (true, 4, 95.2255, 0.000180, 42.8582), (true, 16, 81.4395, 0.003460, 29.3106),
      (true, 48, 29.7273, 0.029410, 19.6837), (false, 4, 92.2702, 0.004423, 42.3757),
      (false, 16, 20.9140, 0.033723, 29.2881), (false, 48, -64.1714, 0.087511, 19.5873),
    ])
  func values(isPattern: Bool, step: Int, score: Double, dissimilarity: Double, ratio: Double) throws {
    let make = isPattern ? Self.pattern : Self.ramp
    let quality = try ImageQuality(original: try make(320, 240, 1))
    let picture = try make(320, 240, step)
    #expect(abs(try quality.ssimulacra2(of: picture) - score) < 0.05)
    #expect(abs(try quality.dssim(of: picture) - dissimilarity) < 0.000_002)
    #expect(abs(try quality.psnr(of: picture) - ratio) < 0.0001)
  }

  @Test(
    "equal pictures of all sizes and layouts", arguments: [(8, 8), (11, 11), (9, 200), (113, 17), (131, 257)])
  func equal(width: Int, height: Int) throws {
    let picture = try Self.pattern(width, height)
    for bitmap in [picture, try picture.converted(to: .rgba16), try picture.converted(to: .gray8)] {
      let quality = try ImageQuality(original: bitmap)
      #expect(abs(try quality.ssimulacra2(of: bitmap) - 100) < 1e-6)
      #expect(try quality.psnr(of: bitmap) == .infinity)
      if min(width, height) >= 11 { #expect(try quality.dssim(of: bitmap) < 1e-6) }
    }
  }

  @Test("all instruction sets compute the same numbers", arguments: [(8, 9), (33, 31), (200, 150)])
  func levels(width: Int, height: Int) throws {
    let (a, b) = (try Self.pattern(width, height), try Self.pattern(width, height, step: 12))
    func score(_ level: cpx_level) -> Double {
      a.withUnsafeBytes { p in
        b.withUnsafeBytes { q in
          func picture(_ bytes: UnsafeRawBufferPointer) -> cpx_picture {
            cpx_picture(
              pixels: bytes.bindMemory(to: UInt8.self).baseAddress, bytes_per_row: 4 * width,
              width: UInt32(width), height: UInt32(height), background: -1)
          }
          var (original, other) = (picture(p), picture(q))
          let reference = UnsafeMutableRawPointer.allocate(
            byteCount: cpx_ssimulacra2_reference_size(UInt32(width), UInt32(height)), alignment: 64)
          let workspace = UnsafeMutableRawPointer.allocate(
            byteCount: cpx_ssimulacra2_workspace_size(UInt32(width), UInt32(height)), alignment: 64)
          defer {
            reference.deallocate()
            workspace.deallocate()
          }
          cpx_ssimulacra2_prepare(&original, reference, workspace, level)
          return cpx_ssimulacra2(reference, &other, workspace, level)
        }
      }
    }
    let portable = score(CPX_LEVEL_PORTABLE)
    #expect(portable < 99)
    for level in [CPX_LEVEL_SIMD128, CPX_LEVEL_SIMD256, CPX_LEVEL_SIMD512] {
      #expect(score(level) == portable)
    }
  }

  @Test("transparent pixels count as they look on dark and on light")
  func alpha() throws {
    func picture(_ hidden: UInt8, _ alpha: UInt8) throws -> Bitmap {
      try ResamplePictures.make(32, 32, opaque: false) { x, _ in
        x < 16 ? [40, 80, 120, 255] : [hidden, hidden, hidden, alpha]
      }
    }
    let quality = try ImageQuality(original: try picture(0, 0))
    // The colours of transparent pixels are invisible.
    #expect(try quality.ssimulacra2(of: picture(255, 0)) > 99.99)
    #expect(try quality.psnr(of: picture(255, 0)) == .infinity)
    // Black hardly shows on the dark grey, and white on the light one, but both do on the other.
    #expect(try quality.ssimulacra2(of: picture(0, 255)) < 30)
    #expect(try quality.ssimulacra2(of: picture(255, 255)) < 30)
  }

  @Test("differences are shown enlarged")
  func difference() throws {
    let quality = try ImageQuality(original: try ResamplePictures.make(8, 8) { _, _ in [10, 20, 30, 255] })
    let other = try ResamplePictures.make(8, 8) { x, _ in [13, 10, x == 0 ? 30 : 230, 255] }
    let shown = try quality.difference(to: other, gain: 4)
    let pixels = shown.withUnsafeBytes { Array($0.prefix(8)) }
    #expect(shown.isOpaque && pixels == [12, 40, 0, 255, 12, 40, 255, 255])
    for gain in [0, 256] {
      #expect(throws: ImagingError.self) { try quality.difference(to: other, gain: gain) }
    }
  }

  @Test("what cannot be compared is refused")
  func refusals() throws {
    for (width, height) in [(7, 8), (8, 7), (1, 1)] {
      let bitmap = try ResamplePictures.make(width, height) { _, _ in [0, 0, 0, 255] }
      let error = #expect(throws: ImagingError.self) { try ImageQuality(original: bitmap) }
      #expect(error?.code == "invalidParameter")
    }
    let quality = try ImageQuality(original: try Self.pattern(10, 10))
    let other = try Self.pattern(11, 10)
    for measure in [quality.ssimulacra2, quality.dssim, quality.psnr] {
      #expect(throws: ImagingError.self) { try measure(other) }
    }
    // Too small for the window of SSIM.
    #expect(throws: ImagingError.self) { try quality.dssim(of: quality.original) }
  }

  @Test("the memory is that which is taken")
  func memory() throws {
    let size = PixelSize(width: 640, height: 480)
    let predicted = ImageQuality.memory(for: size)
    #expect(predicted > 12 * size.pixelCount && predicted < 20 * size.pixelCount)
    #expect(ImageQuality.memory(for: size, hasAlpha: true) < 2 * predicted)
  }
}
