@testable import CalotypeImaging
import FoundationEssentials
import Testing

@Suite struct TransformChainTests {
  typealias Pictures = ResamplePictures
  typealias Steps = RasterSteps

  @Test func theEmptyChainIsTheIdentity() throws {
    let chain: TransformChain = []
    let bitmap = try Pictures.noise(5, 4)
    #expect(chain.isEmpty && chain.identity.isEmpty)
    #expect(Steps.isSame(try chain.apply(to: bitmap), bitmap))
  }

  @Test func whatUndoesItselfIsDropped() {
    #expect(TransformChain([.flip(.horizontal), .flip(.horizontal)]).isEmpty)
    #expect(
      TransformChain([.flip(.vertical), .flip(.horizontal), .flip(.horizontal), .flip(.vertical)]).isEmpty)
    #expect(TransformChain([.rotate(degrees: 90), .rotate(degrees: 270)]).isEmpty)
    #expect(TransformChain([.rotate(degrees: 90), .rotate(degrees: -90)]).isEmpty)
    #expect(TransformChain([.invert(), .invert()]).isEmpty)
    #expect(TransformChain([.rotate(degrees: 90), .rotate(degrees: 180)]) == [.rotate(degrees: 270)])
    #expect(TransformChain([.rotate(degrees: 45), .rotate(degrees: -45)]).transforms.count == 2)
    #expect(TransformChain([.flip(.vertical), .flip(.horizontal)]).transforms.count == 2)
    #expect(TransformChain([.invert(amount: 0.5), .invert(amount: 0.5)]).transforms.count == 2)
  }

  @Test func cutsOfCutsBecomeOne() {
    let chain: TransformChain = [
      .crop(.pixels(x: 10, y: 20, width: 100, height: 50)),
      .crop(.pixels(x: 5, y: 5, width: 200, height: 10)),
    ]
    #expect(chain == [.crop(.pixels(x: 15, y: 25, width: 95, height: 10))])
    #expect(
      TransformChain([
        .crop(.pixels(x: -5, y: 0, width: 10, height: 10)), .crop(.pixels(x: 1, y: 0, width: 3, height: 3)),
      ]).transforms.count == 2)
  }

  static let pool: [ImageTransform] = [
    .flip(.horizontal), .flip(.vertical), .rotate(degrees: 90), .rotate(degrees: 180), .rotate(degrees: 270),
    .crop(.pixels(x: 1, y: 2, width: 9, height: 8)), .crop(.pixels(x: 0, y: 1, width: 30, height: 5)),
    .crop(.pixels(x: 2, y: 0, width: 3, height: 30)), .grayscale(amount: 0.7), .sepia(amount: 0.5),
    .brightness(0.2),
    .contrast(1.5), .saturation(2), .gamma(0.6), .invert(), .opacity(0.5), .hueRotation(degrees: 40),
    .tint(PixelColor(red: 200, green: 10, blue: 60, alpha: 128), mode: .multiply), .pad(top: 1, left: 2),
    .roundedCorners(2), .flatten(background: .white),
    .flatten(background: PixelColor(red: 9, green: 8, blue: 7, alpha: 99)),
    .gradient(degrees: 30), .unsharpMask(), .lightnessSharpen(sigma: 1), .progressiveBlur(sigma: 2),
    .shadow(sigma: 0.3),
    .blurAreas([.init(x: 1, y: 1, width: 5, height: 3)], sigma: 1),
  ]

  @Test func foldedChainsGiveTheBytesOfOneStepAfterTheOther() throws {
    var generator = Pictures.SplitMix(state: 77)
    for round in 0..<400 {
      let picture = try Pictures.noise(
        Int(generator.next() % 20) + 1, Int(generator.next() % 20) + 1, opaque: round % 2 == 0,
        seed: generator.next())
      let steps = (0..<(generator.next() % 7)).map { _ in
        Self.pool[Int(generator.next() % UInt64(Self.pool.count))]
      }
      let folded = Result { () throws(ImagingError) in try TransformChain(steps).apply(to: picture) }
      let plain = Result { () throws(ImagingError) -> Bitmap in
        var bitmap = picture
        for step in steps { bitmap = try step.step.apply(to: bitmap) }
        return bitmap
      }
      switch (folded, plain) {
      case (.success(let a), .success(let b)): #expect(a == b, "\(steps)")
      case (.failure(let a), .failure(let b)): #expect(a.code == b.code, "\(steps)")
      default: Issue.record("\(steps): \(folded) and \(plain)")
      }
    }
  }

  @Test func identitiesTellChainsApart() {
    let one: TransformChain = [.blur(sigma: 1), .blur(sigma: 2)]
    let other: TransformChain = [.blur(sigma: 2), .blur(sigma: 1)]
    #expect(one != other && one.identity != other.identity)
    #expect(
      one == [.blur(sigma: 1), .blur(sigma: 2)] && one.hashValue == TransformChain(one.transforms).hashValue)
    func custom(_ id: String, _ version: Int, _ parameters: [String: String]) -> String {
      ImageTransform.custom(id: id, version: version, parameters: parameters) { bitmap throws(ImagingError) in
        bitmap
      }
      .identity
    }
    let identities = [
      custom("a", 1, [:]), custom("a", 2, [:]), custom("b", 1, [:]), custom("a", 1, ["k": "v"]),
      custom("a", 1, ["k": "v,1 l=1 w"]), custom("a", 1, ["k": "v", "l": "w"]), custom("a,version=1", 1, [:]),
    ]
    #expect(Set(identities).count == identities.count)
  }

  @Test func customStepsRun() throws {
    let chain: TransformChain = [
      .custom(id: "half", version: 1, parameters: [:]) { bitmap throws(ImagingError) in
        try bitmap.resampled(to: PixelSize(width: bitmap.width / 2, height: bitmap.height / 2))
      }
    ]
    #expect(try chain.apply(to: Pictures.noise(20, 10)).size == PixelSize(width: 10, height: 5))
  }

  @Test func failuresAndCancellationEndTheChain() async throws {
    let bitmap = try Pictures.noise(10, 10)
    let chain: TransformChain = [.grayscale(), .crop(.pixels(x: 50, y: 0, width: 5, height: 5)), .invert()]
    #expect(Steps.invalid { try chain.apply(to: bitmap) } == "crop")
    let task = Task { () throws -> Bitmap in
      withUnsafeCurrentTask { $0?.cancel() }
      return try TransformChain([.flip(.horizontal)]).apply(to: bitmap)
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }

  @Test func allOfTheCatalogReadsBack() throws {
    let examples = [
      "resize:320x240,mode=fill,anchor=top", "crop:10x10", "trim", "trim:20,padding=3", "pad:5", "rotate:45",
      "flip:vertical", "round:25%", "circle", "flatten:ff0000", "blur:2.5", "sharpen", "tint:ff8000,multiply",
      "grayscale", "sepia:0.5", "brightness:-0.2", "contrast:2", "saturation:0", "hue:90", "gamma:2.2",
      "invert",
      "opacity:0.5", "unsharp:2", "sharpenlightness:1", "blurareas:2,1;2;3;4", "progressiveblur:3,left",
      "gradient:000,0.5,up", "shadow:2", "flatten:ffffff80", "trim:2.5,ground=ff00ff,equal=both",
      "matrix:1,0,0,0,0,0,1,0,0,0,0,0,1,0,0,0,0,0,1,0",
    ]
    for text in examples {
      let transform = try ImageTransform(parsing: text)
      #expect(try ImageTransform(parsing: transform.identity) == transform, "\(text)")
    }
    let named = Set(examples.map { $0.prefix { $0 != ":" } })
    #expect(named.union(["overlay"]) == Set(TransformChain.Catalog.entries.map { Substring($0.name) }))
    for text in [
      "", "nonsense", "blur", "blur:", "blur:1,2", "blur:nan", "flip:diagonal", "overlay:x.png", ":",
      "crop:,",
    ] {
      #expect(Steps.invalid { try ImageTransform(parsing: text) } != nil, "\(text)")
    }
  }

  @Test func stepsAfterAStepOfOnesOwnSeeRGBA() throws {
    let chain: TransformChain = [
      .custom(id: "gray", version: 1, parameters: [:]) { bitmap throws(ImagingError) in
        try bitmap.converted(to: .gray8)
      },
      .custom(id: "look", version: 1, parameters: [:]) { bitmap throws(ImagingError) in
        #expect(bitmap.format == .rgba8)
        return bitmap
      },
    ]
    #expect(try chain.apply(to: Pictures.noise(3, 3)).format == .rgba8)
  }

  @Test func overlaysAreLoadedByName() throws {
    let mark = try Pictures.make(2, 2) { _, _ in [255, 0, 0, 255] }
    let transform = try ImageTransform(parsing: "overlay:logo.png,anchor=topLeft") {
      name throws(ImagingError) in
      #expect(name == "logo.png")
      return (mark, "1234")
    }
    let result = try transform.step.apply(to: Pictures.make(4, 4) { _, _ in [0, 0, 0, 255] })
    #expect(Array(Pictures.bytes(result)[0..<12]) == [255, 0, 0, 255, 255, 0, 0, 255, 0, 0, 0, 255])
    #expect(transform.identity.contains("1234"))
    _ = try ImageTransform(parsing: "overlay:a\\,b\\=c.png,opacity=0.5") { name throws(ImagingError) in
      #expect(name == "a,b=c.png")
      return (mark, "1234")
    }
  }
}
