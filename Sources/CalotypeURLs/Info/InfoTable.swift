/// The options of `/info` by their names.
enum InfoTable {
  /// The meaning of a name.
  enum Entry: Sendable {
    case row(OptionRow<InfoOptions>)
    case preset
    case unsupported(String)
  }

  private typealias Row = OptionRow<InfoOptions>

  /// The options, in the order in which they are written.
  static let rows: [OptionRow<InfoOptions>] = facts + pixels + request

  private static let facts: [Row] = [
    flag("size", "s", at: \.size), flag("format", "f", at: \.format),
    flag("dimensions", "d", at: \.dimensions),
    flag("exif", at: \.exif, and: \.hasCanonicalNames), flag("iptc", at: \.iptc), flag("xmp", at: \.xmp),
    flag("video_meta", "vm", at: \.videoMetadata), flag("colorspace", "cs", at: \.colorspace),
    flag("bands", "b", at: \.bands), flag("sample_format", "sf", at: \.sampleFormat),
    flag("pages_number", "pn", at: \.pagesNumber), flag("alpha", "a", at: \.alpha, and: \.checksAlpha),
  ]

  private static let pixels: [Row] = [
    crop,
    Row("palette", "p") { (arguments, options) throws(ImageURLError) in
      try arguments.limit(1)
      let count = try arguments.integer(0, in: 0...256)
      guard count != 1 else { throw arguments.invalid(0, expected: "0, or 2 to 256 colours") }
      options.paletteColors = count
    } write: { options, arguments in
      if options.paletteColors != 0 { arguments.integer(options.paletteColors, in: 2...256) }
    },
    flag("average", "avg", at: \.average, and: \.ignoresTransparent),
    flag("dominant_colors", "dc", at: \.dominantColors, and: \.buildsMissing),
    Row("blurhash", "bh") { (arguments, options) throws(ImageURLError) in
      try arguments.limit(2)
      let x = try arguments.integer(0, in: 0...9)
      let y = arguments.has(1) ? try arguments.integer(1, in: 0...9) : 0
      options.blurHash = x > 0 && y > 0 ? InfoOptions.BlurHash(x: x, y: y) : nil
    } write: { options, arguments in
      guard let hash = options.blurHash else { return }
      arguments.integer(hash.x, in: 1...9)
      arguments.integer(hash.y, in: 1...9)
    },
    flag("thumb_hash", "th", at: \.thumbHash),
    flag("perceptual_hash", "ph", "phash", at: \.perceptualHash),
    Row("calc_hashsums", "chs") { (arguments, options) throws(ImageURLError) in
      options.hashsums = []
      for index in 0..<arguments.count where arguments.has(index) {
        let algorithm: ProcessingOptions.Hashsum.Algorithm = try arguments.choice(index)
        if algorithm != .none, !options.hashsums.contains(algorithm) { options.hashsums.append(algorithm) }
      }
    } write: { options, arguments in
      for algorithm in options.hashsums { arguments.choice(algorithm) }
    },
  ]

  private static let crop = Row("crop", "c") { (arguments, options) throws(ImageURLError) in
    let width = arguments.has(0) ? try arguments.real(0, in: .notNegative) : 0
    let height = arguments.has(1) ? try arguments.real(1, in: .notNegative) : 0
    var gravity: Gravity?
    if arguments.count > 2 {
      try arguments.nested(from: 2) { (arguments) throws(ImageURLError) in
        try GravityArguments.read(&arguments, for: .cropping, &gravity)
      }
    }
    options.crop =
      width > 0 || height > 0 ? InfoOptions.Crop(width: width, height: height, gravity: gravity) : nil
  } write: { options, arguments in
    guard let crop = options.crop else { return }
    arguments.real(crop.width, in: .notNegative)
    arguments.real(crop.height, in: .notNegative)
    if let gravity = crop.gravity { GravityArguments.write(gravity, for: .cropping, &arguments) }
  }

  private static let request: [Row] = [
    Row("page", "pg") { (arguments, options) throws(ImageURLError) in
      try arguments.limit(1)
      options.page = try arguments.integer(0, in: OptionTable.sides)
    } write: { options, arguments in
      if options.page != 0 { arguments.integer(options.page, in: OptionTable.sides) }
    },
    shared("hashsum", \.hashsum, \.hashsum), shared("cachebuster", \.cachebuster, \.cachebuster),
    shared("expires", \.expires, \.expires),
    Row("bypass_cache", "bc") { (arguments, options) throws(ImageURLError) in
      try arguments.limit(1)
      options.bypassesCache = arguments.flag(0)
    } write: { options, arguments in
      if options.bypassesCache { arguments.flag(true) }
    }.requiring(.bypassingCache),
    shared("cache_tags", \.cacheTags, \.cacheTags),
    shared("max_src_resolution", \.maxSourceResolution, \.maxSourceResolution).requiring(.security),
    shared("max_src_file_size", \.maxSourceFileSize, \.maxSourceFileSize).requiring(.security),
  ]

  private static let unsupported: [(names: [String], need: String)] = [
    (["detect_objects", "do"], "object detection"), (["classify", "cl"], "a model"),
    (["objects_position", "obj_pos", "op"], "object detection"),
    (["video_thumbnail_second", "vts"], "a video decoder"),
    (["video_thumbnail_keyframes", "vtk"], "a video decoder"),
  ]

  /// The meaning of each name.
  static let entries: [String: Entry] = {
    var entries: [String: Entry] = ["preset": .preset, "pr": .preset]
    for row in rows { for name in row.names { entries[name] = .row(row) } }
    for row in unsupported { for name in row.names { entries[name] = .unsupported(row.need) } }
    return entries
  }()

  /// The names of one option, whichever of them is given.
  static func synonyms(of name: String) -> [String] {
    switch entries[name] {
    case .row(let row): row.names
    case .preset: ["preset", "pr"]
    case .unsupported, nil: [name]
    }
  }

  private typealias Flag = any WritableKeyPath<InfoOptions, Bool> & Sendable

  /// A Boolean value.
  private static func flag(_ names: String..., at path: Flag) -> Row {
    flag(names: names, at: path, and: nil)
  }

  /// A Boolean value, and one more behind it.
  private static func flag(_ names: String..., at path: Flag, and other: Flag) -> Row {
    flag(names: names, at: path, and: other)
  }

  private static func flag(names: [String], at path: Flag, and other: Flag?) -> Row {
    let defaults = InfoOptions()
    return Row(names: names) { (arguments, options) throws(ImageURLError) in
      try arguments.limit(other == nil ? 1 : 2)
      options[keyPath: path] = arguments.flag(0)
      if let other, arguments.has(1) { options[keyPath: other] = arguments.flag(1) }
    } write: { options, arguments in
      let isOther = other.map { options[keyPath: $0] != defaults[keyPath: $0] } ?? false
      guard options[keyPath: path] != defaults[keyPath: path] || isOther else { return }
      arguments.flag(options[keyPath: path])
      if isOther, let other { arguments.flag(options[keyPath: other]) }
    }
  }

  /// An option that images have, too.
  private static func shared<Value: Sendable>(
    _ name: String, _ image: any WritableKeyPath<ProcessingOptions, Value> & Sendable,
    _ info: any WritableKeyPath<InfoOptions, Value> & Sendable
  ) -> Row {
    guard case .whole(let row) = OptionTable.entries[name] else {
      // The names are those of the table above: no input reaches this line.
      preconditionFailure("\(name) is no option of images")
    }
    return Row(names: row.names) { (arguments, options) throws(ImageURLError) in
      var whole = ProcessingOptions()
      whole[keyPath: image] = options[keyPath: info]
      try row.read(&arguments, &whole)
      options[keyPath: info] = whole[keyPath: image]
    } write: { options, arguments in
      var whole = ProcessingOptions()
      whole[keyPath: image] = options[keyPath: info]
      row.write(whole, &arguments)
    }
  }
}
