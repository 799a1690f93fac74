import CalotypeImaging
import CalotypePlanning
import CalotypeURLs
import Testing

/// Plans of options at random.
@Suite("Properties")
struct PropertyTests {
  @Test(arguments: 0..<20) func ofPlans(_ seed: Int) throws {
    var random = RandomStages(UInt64(seed))
    var planned = 0
    for _ in 0..<200 {
      let options = random.options()
      let info = random.info()
      var request = PlanRequest(options, of: info)
      var policy = PlanningPolicy()
      policy.watermark = WatermarkImage(
        id: "logo", size: Samples.size(random.integer(1...90), random.integer(1...90)))
      let planner = Planner(policy)
      let outcome: PlanOutcome
      do throws(PlanningError) {
        outcome = try planner.plan(request)
      } catch {
        request.options = options.normalized()
        #expect(throws: error) { try planner.plan(request) }
        continue
      }
      guard case .render(let plan) = outcome else { continue }
      planned += 1
      check(plan, info, options, policy)
      // Options that mean the same have the same plan.
      request.options = options.normalized()
      #expect(try planner.plan(request) == outcome)
    }
    #expect(planned > 100)
  }

  /// Values that no URL says, but a program may.
  @Test(arguments: 0..<10) func nothingOverflows(_ seed: Int) throws {
    var random = RandomStages(UInt64(1000 + seed))
    random.isHostile = true
    var policy = PlanningPolicy()
    policy.watermark = WatermarkImage(id: "logo", size: Samples.size(7, 3))
    for _ in 0..<300 {
      let info = random.info()
      let request = PlanRequest(random.options(), of: info)
      guard case .render(let plan)? = try? Planner(policy).plan(request) else { continue }
      #expect(plan.sizes.allSatisfy { $0.width > 0 && $0.height > 0 && $0.pixelCount <= 100_000_000 })
      #expect(plan.cost.milliseconds.isFinite)
      // The pixels of the watermark are missing, if nothing else is.
      _ = try? plan.rendering(of: info)
    }
  }

  private func check(
    _ plan: RenderPlan, _ info: ImageInfo, _ options: ProcessingOptions, _ policy: PlanningPolicy
  ) {
    let limits = policy.limits
    var picture = plan.decode.appliesOrientation ? info.orientation.apply(to: info.size) : info.size
    if let drawn = plan.decode.drawnSize { picture = drawn }
    #expect(plan.operations.count == plan.sizes.count)
    for (operation, result) in zip(plan.operations, plan.sizes) {
      #expect(result.width >= 1 && result.height >= 1)
      switch operation {
      case .crop(let region):
        #expect(region.lies(in: picture), "\(region) in \(picture)")
        #expect(result == region.size)
      case .smartCrop(let size):
        #expect(size == result && size.width <= picture.width && size.height <= picture.height)
      case .scale(let scale): #expect(scale.size == result && result != picture)
      case .rotate(let quarters):
        #expect((1...3).contains(quarters))
        #expect(result == (quarters % 2 == 1 ? picture.transposed : picture))
      case .canvas(let canvas): #expect(canvas.size == result && result != picture)
      case .trim: #expect(result == picture && !plan.isExact)
      case .blurAreas(let areas, let sigma):
        #expect(areas.allSatisfy { $0.lies(in: picture) } && sigma > 0 && sigma <= 1000 && result == picture)
      default: #expect(result == picture)
      }
      picture = result
      #expect(picture.pixelCount <= max(limits.resultPixels, limits.sourcePixels))
    }
    #expect(picture == plan.resultSize)
    if let longest = options.maxResultDimension, longest > 0, options.stages.count == 1 {
      #expect(max(picture.width, picture.height) <= longest)
    }
    #expect(plan.cost.milliseconds > 0 && plan.cost.byteCount > 0)
    #expect(plan.cost.byteCount >= picture.pixelCount)
  }
}

/// Options and headers at random.
struct RandomStages {
  private var random: Seeded
  /// Whether numbers are such that overflow, or are none.
  var isHostile = false

  init(_ seed: UInt64) { random = Seeded(seed) }

  mutating func integer(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  private mutating func flag() -> Bool { Bool.random(using: &random) }
  private mutating func share() -> Double {
    isHostile && flag()
      ? pick([.nan, .infinity, -.infinity, -1, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0])
      : Double(integer(0...100)) / 100
  }
  private mutating func pick<Value>(_ values: [Value]) -> Value { values[integer(0...values.count - 1)] }
  private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
    integer(0...3) == 0 ? make(&self) : nil
  }
  private mutating func side() -> Int {
    pick([0, 1, 2, 17, 100, 333, integer(1...1000), integer(1...100_000)])
  }

  private mutating func gravity(cuts: Bool) -> Gravity {
    switch integer(0...5) {
    case 0: .focusPoint(x: share(), y: share())
    case 1 where cuts: .smart
    case 2 where cuts: Gravity(.objects([]))
    default:
      .compass(
        pick(Gravity.Compass.allCases), x: maybe { Double($0.integer(-200...200)) / 10 },
        y: maybe { $0.share() })
    }
  }

  mutating func info() -> ImageInfo {
    var info = ImageInfo(
      format: pick([.jpeg, .png, .webp, .gif, .avif, .svg]),
      size: PixelSize(width: max(1, integer(-5...3000)), height: max(1, integer(-5...3000))))
    info.orientation = pick(Orientation.allCases)
    info.hasAlpha = flag()
    info.isVector = info.format == .svg
    if info.format == .gif { info.frameCount = integer(1...20) }
    return info
  }

  mutating func options() -> ProcessingOptions {
    var options = ProcessingOptions(stages: (0..<pick([1, 1, 1, 2])).map { _ in stage() })
    options.format = maybe { $0.pick([.jpeg, .png, .webp, .avif, .gif, .ico, .best]) }
    options.maxResultDimension = maybe { $0.integer(1...500) }
    options.maxAnimationFrames = maybe { $0.integer(1...30) }
    options.quality = maybe { $0.isHostile ? $0.side() : $0.integer(0...100) }
    if isHostile {
      options.page = maybe { $0.side() }
      options.pages = maybe { $0.side() }
      options.maxBytes = maybe { $0.side() }
      options.maxSourceResolution = maybe { $0.share() }
      options.maxAnimationFrames = maybe { $0.side() }
      options.maxResultDimension = maybe { $0.side() }
    }
    return options
  }

  private mutating func stage() -> ProcessingStage {
    var stage = ProcessingStage()
    stage.resizingType = maybe { $0.pick(ProcessingStage.ResizingType.allCases) }
    stage.width = maybe { $0.side() }
    stage.height = maybe { $0.side() }
    stage.minWidth = maybe { $0.side() }
    stage.minHeight = maybe { $0.side() }
    stage.zoom = maybe {
      $0.isHostile
        ? .init(x: $0.share(), y: $0.share())
        : .init(x: Double($0.integer(1...40)) / 10, y: Double($0.integer(1...40)) / 10)
    }
    stage.dpr = maybe { $0.isHostile ? $0.share() : Double($0.integer(1...50)) / 10 }
    stage.enlarges = maybe { $0.flag() }
    stage.extend = maybe { .init($0.flag(), gravity: $0.maybe { $0.gravity(cuts: false) }) }
    stage.extendAspectRatio = maybe { .init($0.flag(), gravity: $0.maybe { $0.gravity(cuts: false) }) }
    stage.gravity = maybe { $0.gravity(cuts: true) }
    stage.crop = maybe { random in
      .init(
        width: random.flag() ? random.share() : Double(random.side()), height: random.share(),
        gravity: random.maybe { $0.gravity(cuts: true) })
    }
    stage.cropAspectRatio = maybe { .init(Double($0.integer(0...50)) / 10, enlarges: $0.flag()) }
    stage.trim = maybe {
      .init(threshold: $0.maybe { $0.isHostile ? $0.share() : Double($0.integer(0...50)) })
    }
    stage.padding = maybe { random in
      .init(
        top: random.isHostile ? random.side() : random.integer(0...20), right: random.integer(0...20),
        bottom: random.integer(0...20), left: random.integer(0...20))
    }
    stage.autoRotates = maybe { $0.flag() }
    stage.rotation = maybe { $0.pick([0, 90, 180, 270]) }
    stage.flip = maybe { .init(horizontally: $0.flag(), vertically: $0.flag()) }
    stage.background = maybe { _ in .color(RGBColor(red: 1, green: 2, blue: 3)) }
    stage.backgroundAlpha = maybe { $0.share() }
    stage.blur = maybe { $0.share() }
    stage.pixelate = maybe { $0.isHostile ? $0.side() : $0.integer(0...9) }
    if isHostile {
      stage.watermarkRotation = maybe { $0.share() }
      stage.duotone = maybe { .init($0.share()) }
      stage.colorize = maybe { .init($0.share()) }
      stage.contrast = maybe { $0.share() }
      stage.brightness = maybe { $0.side() }
      stage.sharpen = maybe { $0.share() }
      stage.rotation = maybe { $0.side() }
    }
    stage.blurAreas = maybe { random in
      .init(
        sigma: random.share(),
        areas: [
          .init(left: random.share(), top: random.share(), width: random.share(), height: random.share())
        ])
    }
    stage.watermark = maybe { random in
      .init(
        random.share(), position: random.pick([.compass(.southEast), .tiled, .chessboard]),
        x: Double(random.integer(-30...30)), y: random.share(), scale: random.maybe { $0.share() })
    }
    return stage
  }
}
