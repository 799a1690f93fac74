import CalotypeURLs

/// Options at random, all of which a URL can say.
struct RandomOptions {
  var random: Seeded

  init(_ seed: UInt64) { random = Seeded(seed) }

  mutating func options() -> ProcessingOptions {
    var options = ProcessingOptions(stages: (0..<Int.random(in: 1...4, using: &random)).map { _ in stage() })
    options.stripsMetadata = maybe { $0.flag() }
    options.keepsCopyright = maybe { $0.flag() }
    options.stripsColorProfile = maybe { $0.flag() }
    options.preservesHDR = maybe { $0.flag() }
    options.enforcesThumbnail = maybe { $0.flag() }
    options.dpi = maybe { $0.side() }
    options.colorProfile = maybe { $0.pick(["srgb", "cmyk", "mon profil.icc", "ü", ""]) }
    options.format = maybe { $0.pick(RequestedFormat.allCases) }
    options.quality = maybe { $0.integer(0...100) }
    for _ in 0..<integer(0...2) { options.formatQuality[pick(Self.formats)] = integer(0...100) }
    options.autoquality = maybe { random in
      .init(
        method: random.maybe { $0.pick(ProcessingOptions.Autoquality.Method.allCases) },
        target: random.maybe { $0.magnitude() },
        minQuality: random.maybe { $0.integer(1...100) }, maxQuality: random.maybe { $0.integer(1...100) },
        allowedError: random.maybe { $0.magnitude() })
    }
    options.maxBytes = maybe { $0.integer(0 ... .max) }
    options.jpeg = maybe { random in
      var jpeg = ProcessingOptions.JPEG()
      jpeg.isProgressive = random.maybe { $0.flag() }
      jpeg.avoidsSubsampling = random.maybe { $0.flag() }
      jpeg.usesTrellisQuantization = random.maybe { $0.flag() }
      jpeg.usesOvershootDeringing = random.maybe { $0.flag() }
      jpeg.optimizesScans = random.maybe { $0.flag() }
      jpeg.quantizationTable = random.maybe { $0.integer(0...8) }
      return jpeg
    }
    options.png = maybe { random in
      var png = ProcessingOptions.PNG()
      png.isInterlaced = random.maybe { $0.flag() }
      png.isQuantized = random.maybe { $0.flag() }
      png.colors = random.maybe { $0.integer(2...256) }
      return png
    }
    options.webp = maybe { random in
      var webp = ProcessingOptions.WebP()
      webp.compression = random.maybe { $0.pick(ProcessingOptions.WebP.Compression.allCases) }
      webp.usesSmartSubsampling = random.maybe { $0.flag() }
      webp.preset = random.maybe { $0.pick(ProcessingOptions.WebP.Preset.allCases) }
      return webp
    }
    options.avif = maybe { random in
      var avif = ProcessingOptions.AVIF()
      avif.subsampling = random.maybe { $0.pick(ProcessingOptions.AVIF.Subsampling.allCases) }
      return avif
    }
    options.page = maybe { $0.side() }
    options.pages = maybe { $0.integer(1...100) }
    options.disablesAnimation = maybe { $0.flag() }
    options.style = maybe { $0.text() }
    options.fallbackImageURL = maybe { $0.text() }
    options.hashsum = maybe { random in
      let algorithm = random.pick(ProcessingOptions.Hashsum.Algorithm.allCases)
      return .init(algorithm, hex: String(repeating: "a7", count: algorithm.byteCount))
    }
    for _ in 0..<integer(0...2) { options.skipProcessing.insert(pick(Self.formats)) }
    options.raw = maybe { $0.flag() }
    options.cachebuster = maybe { $0.pick(["", "v2", "a%20b", "%3a", "-", "!@$&'()*+,;=~"]) }
    options.bypassesCache = maybe { $0.flag() }
    options.cacheTags = pick([[], ["a"], ["b", "a", "c-1"]])
    options.expires = maybe { Int64($0.integer(.min ... .max)) }
    options.filename = maybe { $0.pick(["", "name", "a b", "ü/?:#%", "a.jpg", "1"]) }
    options.returnsAttachment = maybe { $0.flag() }
    options.maxSourceResolution = maybe { $0.magnitude() }
    options.maxSourceFileSize = maybe { $0.integer(.min ... .max) }
    options.maxAnimationFrames = maybe { $0.integer(1...1000) }
    options.maxAnimationFrameResolution = maybe { $0.magnitude() }
    options.maxResultDimension = maybe { $0.integer(.min ... .max) }
    return options
  }

  static let formats = RequestedFormat.allCases.filter { $0 != .best }

  mutating func stage() -> ProcessingStage {
    var stage = ProcessingStage()
    stage.resizingType = maybe { $0.pick(ProcessingStage.ResizingType.allCases) }
    stage.resizingAlgorithm = maybe { $0.pick(ProcessingStage.ResizingAlgorithm.allCases) }
    stage.width = maybe { $0.side() }
    stage.height = maybe { $0.side() }
    stage.minWidth = maybe { $0.side() }
    stage.minHeight = maybe { $0.side() }
    stage.zoom = maybe { random in
      let x = random.magnitude() + 0.001
      return .init(x: x, y: random.flag() ? x : random.magnitude() + 0.001)
    }
    stage.dpr = maybe { $0.magnitude() + 0.01 }
    stage.enlarges = maybe { $0.flag() }
    stage.extend = maybe { random in
      .init(random.flag(), gravity: random.maybe { $0.gravity(isExtending: true) })
    }
    stage.extendAspectRatio = maybe { random in
      .init(random.flag(), gravity: random.maybe { $0.gravity(isExtending: true) })
    }
    stage.gravity = maybe { $0.gravity(isExtending: false) }
    stage.crop = maybe { random in
      .init(
        width: random.magnitude(), height: random.magnitude(),
        gravity: random.maybe { $0.gravity(isExtending: false) })
    }
    stage.cropAspectRatio = maybe { random in .init(random.magnitude(), enlarges: random.maybe { $0.flag() })
    }
    stage.trim = maybe { random in
      .init(
        threshold: random.maybe { $0.real() }, color: random.maybe { $0.color() },
        isEqualHorizontally: random.maybe { $0.flag() }, isEqualVertically: random.maybe { $0.flag() })
    }
    stage.padding = maybe { random in
      // Few values, so that opposite sides are often equal.
      .init(
        top: random.integer(0...2), right: random.integer(0...2), bottom: random.integer(0...2),
        left: random.integer(0...2))
    }
    stage.autoRotates = maybe { $0.flag() }
    stage.rotation = maybe { $0.pick([0, 90, 180, 270]) }
    stage.flip = maybe { random in
      .init(horizontally: random.maybe { $0.flag() }, vertically: random.maybe { $0.flag() })
    }
    stage.background = maybe { $0.flag() ? .off : .color($0.color()) }
    stage.backgroundAlpha = maybe { $0.share() }
    stage.brightness = maybe { $0.integer(-255...255) }
    stage.contrast = maybe { $0.magnitude() }
    stage.saturation = maybe { $0.magnitude() }
    stage.monochrome = maybe { random in .init(random.share(), color: random.maybe { $0.color() }) }
    stage.duotone = maybe { random in
      .init(random.share(), dark: random.maybe { $0.color() }, light: random.maybe { $0.color() })
    }
    stage.colorize = maybe { random in
      .init(random.share(), color: random.maybe { $0.color() }, keepsAlpha: random.maybe { $0.flag() })
    }
    stage.gradient = maybe { random in
      .init(
        random.share(), color: random.maybe { $0.color() }, direction: random.maybe { $0.direction() },
        start: random.maybe { $0.real() }, stop: random.maybe { $0.real() })
    }
    stage.blur = maybe { $0.magnitude() }
    stage.sharpen = maybe { $0.magnitude() }
    stage.pixelate = maybe { $0.side() }
    stage.unsharpMasking = maybe { random in
      .init(
        mode: random.maybe { $0.pick(ProcessingStage.UnsharpMasking.Mode.allCases) },
        weight: random.maybe { $0.magnitude() + 0.1 }, divider: random.maybe { $0.magnitude() + 0.1 })
    }
    stage.blurAreas = maybe { random in
      .init(
        sigma: random.magnitude(),
        areas: (0..<random.integer(0...3)).map { _ in
          .init(left: random.share(), top: random.share(), width: random.share(), height: random.share())
        })
    }
    stage.progressiveBlur = maybe { random in
      .init(
        sigma: random.magnitude(), direction: random.maybe { $0.direction() },
        start: random.maybe { $0.real() },
        stop: random.maybe { $0.real() })
    }
    stage.watermark = maybe { random in
      .init(
        random.share(),
        position: random.maybe {
          $0.pick([.tiled, .chessboard, .compass($0.pick(Gravity.Compass.allCases))])
        }, x: random.maybe { $0.real() }, y: random.maybe { $0.real() },
        scale: random.maybe { $0.magnitude() })
    }
    stage.watermarkURL = maybe { $0.text() }
    stage.watermarkText = maybe { $0.text() }
    stage.watermarkSize = maybe { random in .init(width: random.side(), height: random.side()) }
    stage.watermarkRotation = maybe { $0.real() }
    stage.watermarkShadow = maybe { $0.magnitude() }
    return stage
  }

  mutating func gravity(isExtending: Bool) -> Gravity {
    switch integer(0...(isExtending ? 3 : 6)) {
    case 0: return .focusPoint(x: share(), y: share())
    case 4: return .smart
    case 5: return Gravity(.objects(pick([[], ["all"], ["face", "cat"]])))
    case 6: return Gravity(.weightedObjects(pick([[], [.init("face", weight: magnitude())]])))
    default:
      return .compass(pick(Gravity.Compass.allCases), x: maybe { $0.real() }, y: maybe { $0.real() })
    }
  }

  mutating func direction() -> ProcessingStage.Direction {
    pick([.up, .down, .left, .right, .degrees(real())])
  }

  /// A value in one of six cases, so that URLs stay within their limits.
  mutating func maybe<Value>(_ make: (inout RandomOptions) -> Value) -> Value? {
    integer(0...5) == 0 ? make(&self) : nil
  }

  mutating func flag() -> Bool { Bool.random(using: &random) }
  mutating func integer(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func side() -> Int { pick([0, 1, 300, Int(Int32.max), integer(0...5000)]) }
  mutating func share() -> Double { pick([0, 1, 0.5, Double.random(in: 0...1, using: &random)]) }
  mutating func magnitude() -> Double {
    pick([0, 1, 0.1, 1e-7, 1e300, .leastNonzeroMagnitude, Double.random(in: 0...100, using: &random)])
  }
  mutating func real() -> Double { flag() ? magnitude() : -magnitude() }
  mutating func color() -> RGBColor {
    RGBColor(red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random), blue: 7)
  }
  mutating func text() -> String { pick(["", "http://a/b?c=d", "<b>ü</b>\n", "x"]) }
  mutating func pick<Value>(_ values: [Value]) -> Value { values[integer(0...values.count - 1)] }

  /// A source without control characters.
  mutating func source() -> String {
    let alphabet = Array("abz09-._~!$&'()*+,;=:/@?%#[]<>\"\\^`{|} éß図🎈")
    let schemes = ["http://", "https:/", "local:///", "s3://", "", "/", "plain/", "enc", "foo:/"]
    return pick(schemes) + String((0..<integer(1...30)).map { _ in pick(alphabet) })
  }
}
