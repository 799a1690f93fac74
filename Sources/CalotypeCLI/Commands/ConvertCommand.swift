import ArgumentParser
import Calotype
import FoundationEssentials
import CalotypeTerminal

struct ConvertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Converts an image to another format or size, upright.",
    discussion: """
      The format is that of --format, else that of the extension of OUT; with --accept and --format auto, OUT has no extension, \
      and gets that of the chosen format. Without options, an image that has the format of OUT already is copied as it is, with \
      its metadata and its orientation as stored; --format turns it upright. Formats for a single image (jpeg, rgba, and png unless the source is an animated png) get the first \
      frame of an animation: standard error has a warning, and --json a field droppedFrames. The name OUT.apng asks for an \
      animated png.
      """)

  @Argument(help: ArgumentHelp("A URL or a file.", valueName: "in"))
  var input: Source

  @Argument(help: ArgumentHelp("The file to write, or - for standard output.", valueName: "out"))
  var output: String

  @Flag(help: "Write to standard output even if it is a terminal.")
  var force = false

  @OptionGroup var pixels: PixelOptions
  @OptionGroup var accept: AcceptOptions
  @OptionGroup var coders: CoderOptions

  @Flag(help: "One JSON object.")
  var json = false

  func validate() throws {
    try accept.check(with: pixels, output: output)
    if accept.field == nil, pixels.format == nil, let refusal = OutputFormat.refusal(ofFileName: output) {
      throw ValidationError(refusal)
    }
    if writesOutput, json {
      throw ValidationError("--json and the output - both write to standard output; omit one.")
    }
  }

  private var writesOutput: Bool { output == StandardOutput.name }

  private var destination: Rendering.Destination {
    if writesOutput { return .standardOutput }
    return accept.choosesFormat(with: pixels) ? .fileWithoutExtension(output) : .file(output)
  }

  func run() async throws {
    if writesOutput { try StandardOutput.check(isForced: force) }
    var configuration = ImagePipeline.Configuration(
      loader: LoaderGroup.standard, memoryCache: nil, diskCache: nil)
    configuration.decoding = coders.decoding
    let pipeline = ImagePipeline(configuration)
    let rendering = Rendering(
      pixels: pixels, pipeline: pipeline, coders: coders, sources: [input], accept: accept,
      decodesCopies: true)
    do {
      for result in try await rendering.render(
        input, to: [destination], request: try rendering.request(for: input))
      {
        let result = try result.get()
        if json { Output.json(result) }
        if let warning = result.warning { Output.error("calotype: \(input.shown): \(warning)") }
      }
    } catch {
      Failure(source: input.shown, error: error).report(asJSON: json)
      throw ExitCode(1)
    }
  }
}
