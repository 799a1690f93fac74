import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct GIFCompositorTests {
  /// The canvas after every frame.
  private func frames(_ data: Data, tolerated: Bool = false) throws(ImagingError) -> [String] {
    let structure = try GIFStructure(data.bytes, limits: .default)
    let options = DecodeOptions(damage: tolerated ? .tolerate : .strict)
    let compositor = FrameCompositor(options.limits)
    return try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      let frames = GIFFrames(structure: structure, file: file, options: options)
      var letters: [String] = []
      for index in structure.frames.indices {
        letters.append(try compositor.bitmap(at: index, of: frames).letters)
      }
      return letters
    }
  }

  /// Red everywhere, then a green pixel with a disposal, then a blue one elsewhere.
  private func three(disposal: UInt8, first: UInt8 = 0) -> Data {
    var gif = GIFBuilder(width: 3, height: 1)
    gif.control(disposal: first)
    gif.frame(width: 3, height: 1, pixels: [0, 0, 0])
    gif.control(disposal: disposal)
    gif.frame(x: 1, width: 1, height: 1, pixels: [1])
    gif.frame(x: 2, width: 1, height: 1, pixels: [2])
    return gif.data
  }

  @Test(arguments: [0, 1, 5, 6, 7] as [UInt8])
  func keepsFrames(disposal: UInt8) throws {
    #expect(try frames(three(disposal: disposal)) == ["RRR", "RGR", "RGB"])
  }

  @Test func clearsOnlyTheRectangleOfTheFrame() throws {
    #expect(try frames(three(disposal: 2)) == ["RRR", "RGR", "R.B"])
  }

  @Test(arguments: [3, 4] as [UInt8])
  func restoresWhatWasBefore(disposal: UInt8) throws {
    #expect(try frames(three(disposal: disposal)) == ["RRR", "RGR", "RRB"])
  }

  @Test(arguments: [2, 3] as [UInt8])
  func returnsToTransparencyAfterTheFirstFrame(first: UInt8) throws {
    #expect(try frames(three(disposal: 0, first: first)) == ["RRR", ".G.", ".GB"])
  }

  @Test func restoresSeveralTimesInARow() throws {
    var gif = GIFBuilder(width: 3, height: 1)
    gif.frame(width: 3, height: 1, pixels: [0, 0, 0])
    for x in 0..<3 {
      gif.control(disposal: 3)
      gif.frame(x: x, width: 1, height: 1, pixels: [2])
    }
    #expect(try frames(gif.data) == ["RRR", "BRR", "RBR", "RRB"])
  }

  @Test func letsTheFrameBelowShowThroughTransparentPixels() throws {
    var gif = GIFBuilder(width: 3, height: 1)
    gif.frame(width: 3, height: 1, pixels: [0, 1, 2])
    gif.control(transparent: 0)
    gif.frame(width: 3, height: 1, pixels: [3, 0, 3])
    #expect(try frames(gif.data) == ["RGB", "WGW"])
  }

  @Test func clipsLaterFrames() throws {
    var gif = GIFBuilder(width: 2, height: 2)
    gif.frame(width: 2, height: 2, pixels: [0, 0, 0, 0])
    gif.control(disposal: 2)
    gif.frame(x: 1, y: 1, width: 2, height: 2, pixels: [1, 2, 2, 2])
    gif.control(disposal: 3)
    gif.frame(x: 5, y: 0, width: 1, height: 1, pixels: [2])
    gif.frame(x: 0, y: 0, width: 1, height: 1, pixels: [2])
    #expect(try frames(gif.data) == ["RR/RR", "RR/RG", "RR/R.", "BR/R."])
  }

  @Test func passesOverEmptyFrames() throws {
    var gif = GIFBuilder(width: 1, height: 1)
    gif.frame(width: 0, height: 1, pixels: [])
    gif.frame(width: 1, height: 1, pixels: [0])
    #expect(try frames(gif.data) == [".", "R"])
  }

  @Test func givesItsBuffersBack() throws {
    let pool = PixelPool(byteLimit: 1 << 20)
    let data = three(disposal: 3)
    let structure = try GIFStructure(data.bytes, limits: .default)
    do {
      let options = DecodeOptions()
      let compositor = FrameCompositor(options.limits, pool: pool)
      try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
        let frames = GIFFrames(structure: structure, file: file, options: options)
        for index in structure.frames.indices { _ = try compositor.bitmap(at: index, of: frames) }
      }
      #expect(pool.statistics.bytesInUse > 0)
    }
    #expect(pool.statistics.bytesInUse == 0)
  }

  @Test func showsWhatItCanOfADamagedFrameWhereTolerated() throws {
    var gif = GIFBuilder(width: 2, height: 1)
    gif.frame(width: 2, height: 1, pixels: [0, 0])
    gif.frame(width: 2, height: 1, codes: [(1, 3), (7, 3)])
    #expect(throws: ImagingError.self) { try frames(gif.data) }
    #expect(try frames(gif.data, tolerated: true) == ["RR", "GR"])
  }
}
