import CalotypeURLs
import Testing

/// The options that a case expects: words `name=value`, or a sentence.
struct OptionExpectation {
  let text: String

  init(_ text: String) { self.text = text }

  /// Sentences, and the options that they mean.
  private static let sentences: [String: String] = [
    "rgb 128,129,130": "bg:808182", "background off": "bg:", "zoom 2×2": "z:2:2", "zoom 2×3": "z:2:3",
    "half the width, quarter of the height": "c:0.5:0.25", "crop 100 × whole height": "c:100:0",
    "all sides 10": "pd:10:10:10:10",
    "10 20 10 20": "pd:10:20:10:20", "10 20 30 20": "pd:10:20:30:20", "10 20 30 40": "pd:10:20:30:40",
    "10 10 30 10": "pd:10:10:30:10", "threshold 10, smart key": "t:10", "key magenta": "t:10:ff00ff",
    "90°": "rot:90",
    "parses; undefined in libvips: treat as 270": "rot:270", "horizontal": "fl:1",
    "jpeg=80 webp=70": "fq:jpeg:80:webp:70",
    "no watermark": "wm:0", "stem name": "fn:name", "stem the_image.jpg": "fn:the_image.jpg",
    "cleared": "cb:", "no expiry": "exp:0",
    "10,000,000 px": "msr:10", "gravity ea, offsets 5,5 survive": "g:ea:5:5",
  ]

  /// Compares options with the text, for the option that was read.
  func check(_ options: ProcessingOptions, of written: String) throws {
    if let same = Self.sentences[text] {
      #expect(try options == ImgproxyDialect.permissive().options(same))
      return
    }
    let name = String(written.prefix { $0 != ":" && $0 != "," })
    var count = 0
    for (key, value) in ConformanceTests.words(text).values
    where !["url", "format"].contains(key) || name == "format" {
      let value = value.last == "," ? String(value.dropLast()) : value
      // Other words are remarks.
      guard let found = Self.value(key, of: options, for: name) else { continue }
      count += 1
      #expect(found == value || Double(found) == Double(value) && Double(value) != nil, "\(key) is \(found)")
    }
    #expect(count > 0 || !text.contains("=") || text.contains("url="), "nothing known of \(text)")
  }

  /// The value of a word, for an option.
  private static func value(_ key: String, of options: ProcessingOptions, for name: String) -> String? {
    let stage = options.stages[0]
    let gravity =
      switch name {
      case "extend", "ex": stage.extend?.gravity
      case "extend_aspect_ratio", "exar": stage.extendAspectRatio?.gravity
      case "crop", "c": stage.crop?.gravity
      default: stage.gravity
      }
    let watermark = stage.watermark
    let isWatermark = name == "watermark" || name == "wm"
    switch key {
    case "format": return options.format?.rawValue
    case "type": return stage.resizingType?.rawValue
    case "width": return stage.width.map(String.init) ?? stage.crop.map { "\($0.width)" }
    case "height": return stage.height.map(String.init) ?? stage.crop.map { "\($0.height)" }
    case "min_width": return stage.minWidth.map(String.init)
    case "min_height": return stage.minHeight.map(String.init)
    case "enlarge": return stage.enlarges.map { "\($0)" }
    case "extend": return (stage.extend ?? stage.extendAspectRatio).map { "\($0.isEnabled)" }
    case "gravity":
      switch gravity?.kind {
      case .compass(let compass): return compass.rawValue
      case .smart: return "sm"
      case .focusPoint: return "fp"
      default: return nil
      }
    case "x": return "\((isWatermark ? watermark?.x : gravity?.x) ?? 0)"
    case "y": return "\((isWatermark ? watermark?.y : gravity?.y) ?? 0)"
    case "opacity": return watermark.map { "\($0.opacity)" }
    case "pos":
      switch watermark?.position {
      case .compass(let compass): return compass.rawValue
      case .tiled: return "re"
      default: return nil
      }
    case "scale": return watermark?.scale.map { "\($0)" }
    case "quality": return options.quality.map(String.init)
    case "dpr": return stage.dpr.map { "\($0)" }
    case "blur": return stage.blur.map { "\($0)" }
    case "sharpen": return stage.sharpen.map { "\($0)" }
    case "pixelate": return stage.pixelate.map(String.init)
    case "strip", "strip_metadata": return options.stripsMetadata.map { "\($0)" }
    case "preserve_hdr": return options.preservesHDR.map { "\($0)" }
    case "cachebuster": return options.cachebuster
    case "filename": return options.filename
    case "max_bytes": return options.maxBytes.map(String.init)
    default: return nil
    }
  }
}
