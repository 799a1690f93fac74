import CPixels

/// A colour type and depth that can hold all pixels of a survey, and the conversion of pixels to its samples.
struct PNGLayout {
  let colorType: PNGHeader.ColorType
  let depth: UInt8
  var palette: [Palette.Color] = []
  /// The payload of a tRNS chunk for the one colour that is transparent; empty without.
  var transparency: [UInt8] = []
  let store: cpng_store
  /// Owns the memory of `store.survey`.
  private let survey: PNGSurvey?

  /// The restrictions on layouts.
  struct Rules {
    /// A Boolean value that indicates whether grey pixels of a coloured bitmap may be stored as grey.
    var allowsGray = true
    /// A Boolean value that indicates whether pixels of a grey bitmap may be stored in a palette.
    var allowsPalette = true
  }

  private init(
    _ colorType: PNGHeader.ColorType, _ depth: UInt8, _ samples: cpng_samples, _ survey: PNGSurvey
  ) {
    (self.colorType, self.depth, self.survey) = (colorType, depth, survey)
    var store = cpng_store()
    store.samples = samples
    store.bytes_per_pixel = CInt(survey.format?.bytesPerPixel ?? 4)
    store.depth = CInt(depth)
    store.clears = survey.clears ? 1 : 0
    store.survey = UnsafePointer(survey.facts)
    self.store = store
  }

  /// Creates a layout for indices that are there already, a byte each.
  init(indicesInto palette: [Palette.Color]) {
    (colorType, depth, survey) = (.indexed, Self.depth(of: palette.count), nil)
    self.palette = palette
    var store = cpng_store()
    store.samples = CPNG_STORE_SAME
    store.bytes_per_pixel = 1
    store.depth = CInt(depth)
    self.store = store
  }

  private init(palette: [(color: Palette.Color, place: Int)], _ survey: PNGSurvey) {
    colorType = .indexed
    depth = Self.depth(of: palette.count)
    self.survey = survey
    self.palette = palette.map(\.color)
    var store = cpng_store()
    store.samples = CPNG_STORE_INDEX
    store.bytes_per_pixel = CInt(survey.format?.bytesPerPixel ?? 4)
    store.depth = CInt(depth)
    store.clears = survey.clears ? 1 : 0
    store.survey = UnsafePointer(survey.facts)
    withUnsafeMutableBytes(of: &store.order) { order in
      for (index, entry) in palette.enumerated() { order[entry.place] = UInt8(truncatingIfNeeded: index) }
    }
    self.store = store
  }

  /// Returns the bits of an index into so many colours.
  static func depth(of colors: Int) -> UInt8 { colors <= 2 ? 1 : colors <= 4 ? 2 : colors <= 16 ? 4 : 8 }

  /// Bytes of the chunks that the layout adds to a file.
  var chunkBytes: Int {
    let alphas = palette.lastIndex { $0.alpha < 255 }.map { $0 + 13 } ?? 0
    return (palette.isEmpty ? 0 : 12 + 3 * palette.count) + alphas
      + (transparency.isEmpty ? 0 : 12 + transparency.count)
  }

  /// Returns the layouts that may be the smallest, the most promising first.
  ///
  /// - Parameters:
  ///   - survey: The facts about all pixels.
  ///   - rules: The restrictions on layouts.
  ///   - lacks: Returns true if no opaque pixel has a colour, which can then stand for transparency.
  static func candidates(
    for survey: PNGSurvey, rules: Rules, lacks: (UInt32) -> Bool
  ) -> [PNGLayout] {
    if survey.format == .rgba16 { return [wide(survey, rules)] }
    let isGray = survey.format == .gray8 || survey.isGray && rules.allowsGray
    let colors = rules.allowsPalette ? survey.colors : nil
    var direct = [PNGLayout]()
    if isGray, survey.isOpaque {
      let gray = PNGLayout(.gray, grayDepth(survey), CPNG_STORE_GRAY, survey)
      // A palette of so many colours takes no fewer bits, and a chunk more.
      guard let colors, depth(of: colors.count) < gray.depth else { return [gray] }
      direct.append(gray)
    } else if survey.isOpaque {
      direct.append(PNGLayout(.rgb, 8, CPNG_STORE_RGB, survey))
    } else if let color = survey.transparentColor, lacks(color) {
      direct.append(keyed(color, isGray: isGray, survey))
    } else if isGray {
      direct.append(PNGLayout(.grayAlpha, 8, CPNG_STORE_GRAY_ALPHA, survey))
    } else {
      direct.append(PNGLayout(.rgba, 8, CPNG_STORE_SAME, survey))
    }
    return (colors.map { [PNGLayout(palette: $0, survey)] } ?? []) + direct
  }

  private static func wide(_ survey: PNGSurvey, _ rules: Rules) -> PNGLayout {
    switch (survey.isGray && rules.allowsGray, survey.isOpaque) {
    case (true, true): PNGLayout(.gray, 16, CPNG_STORE_GRAY, survey)
    case (true, false): PNGLayout(.grayAlpha, 16, CPNG_STORE_GRAY_ALPHA, survey)
    case (false, true): PNGLayout(.rgb, 16, CPNG_STORE_RGB, survey)
    case (false, false): PNGLayout(.rgba, 16, CPNG_STORE_SAME, survey)
    }
  }

  private static func keyed(_ color: UInt32, isGray: Bool, _ survey: PNGSurvey) -> PNGLayout {
    var layout =
      isGray
      ? PNGLayout(.gray, 8, CPNG_STORE_GRAY, survey) : PNGLayout(.rgb, 8, CPNG_STORE_RGB, survey)
    let channels = withUnsafeBytes(of: color) { Array($0.prefix(isGray ? 1 : 3)) }
    layout.transparency = channels.flatMap { [0, $0] }
    return layout
  }

  /// Returns the fewest bits that express all grey levels: those of a depth are the multiples of a step.
  private static func grayDepth(_ survey: PNGSurvey) -> UInt8 {
    let levels = (survey.colors ?? []).map(\.color.red)
    for (depth, step) in [(1, 255), (2, 85), (4, 17)] as [(UInt8, UInt8)] {
      if levels.allSatisfy({ $0 % step == 0 }) { return depth }
    }
    return 8
  }
}
