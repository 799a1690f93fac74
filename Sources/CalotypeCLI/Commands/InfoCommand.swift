import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials

struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Tells what images are: format, size, frames, orientation, profile.",
    discussion: "Reads the header only, unless --hash asks for the pixels.")

  @Argument(help: ArgumentHelp("URLs or files.", valueName: "url|file"))
  var sources: [Source]

  @Flag(help: "One JSON object a line.")
  var json = false

  @Flag(
    help: "Add SHA-256 hashes of the decoded pixels (RGBA, as stored, fully transparent pixels as zeros).")
  var hash = false

  @Flag(help: "Hash the picture upright, not as stored.")
  var upright = false

  @Flag(help: "Only the first frame of an animation.")
  var firstFrame = false

  func run() async throws {
    let pipeline = ImagePipeline(.init(memoryCache: nil, diskCache: nil))
    let workers = WorkerExecutor(name: "calotype-info", threads: 1)
    var hasFailed = false
    for source in sources {
      do {
        let data = try await pipeline.data(for: ImageRequest(url: try source.url)).data
        let report = try await workers.run { try InfoReport(of: data, from: source.text, command: self) }
        if json { Output.json(report) } else { report.print() }
      } catch {
        hasFailed = true
        Failure(source: source.text, error: error).report(asJSON: json)
        try Task.checkCancellation()
      }
    }
    if hasFailed { throw ExitCode(1) }
  }
}

/// What `calotype info` says about one image.
struct InfoReport: Encodable {
  let source: String
  let format: String
  let width: Int
  let height: Int
  let frames: Int
  let loopCount: Int
  let durations: [Int]
  let hasAlpha: Bool
  let bitDepth: Int
  let orientation: Int
  let colorProfile: Nullable
  let bytes: Int
  var pixelsSHA256: [String]?

  init(of data: Data, from source: String, command: InfoCommand) throws {
    let info = try CoderRegistry.standard.probe(data)
    self.source = source
    format = info.format.rawValue
    width = info.size.width
    height = info.size.height
    frames = info.frameCount
    loopCount = info.loopCount
    durations = info.durations
    hasAlpha = info.hasAlpha
    bitDepth = info.bitDepth
    orientation = info.orientation.rawValue
    colorProfile = Nullable(value: info.colorProfile)
    bytes = data.count
    if command.hash {
      let options = DecodeOptions(appliesOrientation: command.upright)
      pixelsSHA256 = [PixelHash.sha256(of: try CoderRegistry.standard.decode(data, options: options).bitmap)]
    }
  }

  /// Written as `null` where there is none: every line has every field.
  struct Nullable: Encodable {
    let value: String?

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if let value { try container.encode(value) } else { try container.encodeNil() }
    }
  }

  func print() {
    Output.line(source)
    var facts = ["\(format), \(width)×\(height) pixels", "\(bitDepth) bits per sample"]
    if hasAlpha { facts.append("with transparency") }
    if orientation != 1 { facts.append("orientation \(orientation)") }
    facts.append(Formatting.bytes(bytes))
    Output.line("  " + facts.joined(separator: ", "))
    if frames > 1 {
      let total = Duration.milliseconds(durations.reduce(0, +))
      let plays = loopCount == 0 ? "for ever" : Formatting.count(loopCount, "time")
      Output.line("  \(frames) frames, \(Formatting.duration(total)), plays \(plays)")
    }
    if let colorProfile = colorProfile.value { Output.line("  colour profile: \(colorProfile)") }
    for hash in pixelsSHA256 ?? [] { Output.line("  sha256 \(hash)") }
  }
}
