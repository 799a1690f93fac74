@testable import CalotypeImaging
import Testing

@Suite struct SmartCropTests {
  typealias Pictures = ResamplePictures

  /// A picture with a subject, the box around the subject, and a window that can hold it.
  struct Sample {
    var bitmap: Bitmap
    var left: Int, top: Int, width: Int, height: Int
    var window: PixelSize

    /// Whether the window holds all of the subject when it begins here.
    func isHeld(_ x: Int, _ y: Int) -> Bool {
      x <= left && y <= top && x + window.width >= left + width && y + window.height >= top + height
    }
  }

  /// A soft gradient with some noise, and at some place something with texture and, when `colourful`, strong colours.
  static func sample(_ seed: UInt64, colourful: Bool) throws -> Sample {
    var generator = Pictures.SplitMix(state: seed)
    func random(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
    let size = PixelSize(width: random(150...420), height: random(150...420))
    let width = size.width * random(12...35) / 100
    let height = size.height * random(12...35) / 100
    let left = random(0...(size.width - width))
    let top = random(0...(size.height - height))
    let window = PixelSize(
      width: random((width * 115 / 100)...(size.width * 2 / 3)),
      height: random((height * 115 / 100)...(size.height * 2 / 3)))
    let base = (0..<3).map { _ in random(60...180) }
    let slope = (0..<2).map { _ in random(-40...40) }
    let noise = random(0...6)
    let hue = random(0...2)
    let cell = random(3...9)
    let bitmap = try Pictures.make(size.width, size.height) { x, y in
      let jitter = noise == 0 ? 0 : random(-noise...noise)
      let isSubject = left..<(left + width) ~= x && top..<(top + height) ~= y
      if isSubject {
        let isBright = ((x - left) / cell + (y - top) / cell) % 2 == 0
        var pixel = [UInt8](repeating: isBright ? 200 : 90, count: 4)
        if colourful {
          for channel in 0..<3 { pixel[channel] = channel == hue ? 210 : isBright ? 90 : 20 }
        }
        pixel[3] = 255
        return pixel
      }
      let light = slope[0] * x / size.width + slope[1] * y / size.height + jitter
      return base.map { UInt8(min(max($0 + light, 0), 255)) } + [255]
    }
    return Sample(bitmap: bitmap, left: left, top: top, width: width, height: height, window: window)
  }

  @Test(arguments: [SmartCrop.Interest.entropy, .attention])
  func theSubjectIsInTheWindow(interest: SmartCrop.Interest) throws {
    var found = 0
    var foundInTheMiddle = 0
    let count = 60
    for seed in 0..<count {
      let sample = try Self.sample(UInt64(seed) + 100, colourful: seed % 2 == 0)
      let (x, y) = try SmartCrop.window(of: sample.bitmap, size: sample.window, interest: interest)
      #expect(x >= 0 && x + sample.window.width <= sample.bitmap.width)
      #expect(y >= 0 && y + sample.window.height <= sample.bitmap.height)
      if sample.isHeld(x, y) { found += 1 }
      let middle = Anchor.center.origin(of: sample.window, in: sample.bitmap.size)
      if sample.isHeld(middle.x, middle.y) { foundInTheMiddle += 1 }
    }
    // The set is one that needs looking.
    #expect(foundInTheMiddle * 2 < count)
    #expect(found * 10 >= count * 9, "\(found) of \(count)")
  }

  @Test func aCropUsesTheWindow() throws {
    let sample = try Self.sample(7, colourful: true)
    for (anchor, interest) in [(Anchor.entropy, SmartCrop.Interest.entropy), (.attention, .attention)] {
      let (x, y) = try SmartCrop.window(of: sample.bitmap, size: sample.window, interest: interest)
      let box = try Transforms.Crop(
        .box(width: sample.window.width, height: sample.window.height, anchor: anchor)
      )
      .apply(to: sample.bitmap)
      let expected = try Transforms.Crop(
        .pixels(x: x, y: y, width: sample.window.width, height: sample.window.height)
      )
      .apply(to: sample.bitmap)
      #expect(box == expected)
      // The same again, from the same pixels elsewhere in memory.
      let copy = try Pictures.mirrored(
        Pictures.mirrored(sample.bitmap, horizontally: true), horizontally: true)
      let again = try Transforms.Crop(
        .box(width: sample.window.width, height: sample.window.height, anchor: anchor)
      )
      .apply(to: copy)
      #expect(again == box)
    }
  }

  @Test func nothingOfInterestGivesTheMiddle() throws {
    let plain = try Pictures.make(90, 50) { _, _ in [90, 120, 70, 255] }
    for interest in [SmartCrop.Interest.entropy, .attention] {
      #expect(
        try SmartCrop.window(of: plain, size: PixelSize(width: 30, height: 50), interest: interest) == (30, 0)
      )
      #expect(
        try SmartCrop.window(of: plain, size: PixelSize(width: 90, height: 20), interest: interest) == (0, 15)
      )
      #expect(
        try SmartCrop.window(of: plain, size: PixelSize(width: 200, height: 60), interest: interest) == (0, 0)
      )
      #expect(
        try SmartCrop.window(of: plain, size: PixelSize(width: 88, height: 200), interest: interest) == (1, 0)
      )
    }
  }

  @Test func whatIsTransparentDoesNotCount() throws {
    // Loud noise under zero alpha at the left, a faint pattern at the right.
    let noise = Pictures.bytes(try Pictures.noise(120, 60))
    let picture = try Pictures.make(120, 60, opaque: false) { x, y in
      let first = 4 * (y * 120 + x)
      if x < 70 { return Array(noise[first..<(first + 3)]) + [0] }
      let light: UInt8 = (x / 4 + y / 4) % 2 == 0 ? 110 : 140
      return [light, light, light, 255]
    }
    for interest in [SmartCrop.Interest.entropy, .attention] {
      let (x, _) = try SmartCrop.window(
        of: picture, size: PixelSize(width: 50, height: 60), interest: interest)
      #expect(x >= 68)
    }
  }

  @Test func attentionSeesColourAndSkinWhereDetailDoesNot() throws {
    // Fine grey texture at the left, a plain patch of a colour at the right.
    for patch in [[230, 30, 40, 255], [205, 150, 115, 255]] as [[UInt8]] {
      let picture = try Pictures.make(128, 64) { x, y in
        if x < 40 { return (x / 2 + y / 2) % 2 == 0 ? [124, 124, 124, 255] : [136, 136, 136, 255] }
        return 84..<116 ~= x && 16..<48 ~= y ? patch : [130, 130, 130, 255]
      }
      let size = PixelSize(width: 44, height: 64)
      #expect(try SmartCrop.window(of: picture, size: size, interest: .entropy).x <= 4)
      #expect(72...84 ~= (try SmartCrop.window(of: picture, size: size, interest: .attention).x))
    }
  }

  @Test func extremeShapes() throws {
    for (width, height) in [(1, 1), (1, 500), (500, 1), (4000, 2)] {
      let picture = try Pictures.noise(width, height, opaque: false)
      for interest in [SmartCrop.Interest.entropy, .attention] {
        let size = PixelSize(width: (width + 1) / 2, height: (height + 2) / 3)
        let (x, y) = try SmartCrop.window(of: picture, size: size, interest: interest)
        #expect(x >= 0 && y >= 0 && x + size.width <= width && y + size.height <= height)
      }
    }
    let dot = try Pictures.noise(3, 3)
    #expect(
      RasterSteps.invalid {
        try SmartCrop.window(of: dot, size: PixelSize(width: 0, height: 1), interest: .entropy)
      } == "crop")
  }
}
