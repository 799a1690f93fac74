import ArgumentParser
import Calotype
import FoundationEssentials
import CalotypeTerminal

struct ConvertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Converts an image to another format or size, upright.",
    discussion: """
      The format is that of --format, else that of the extension of OUT. Formats for a single image (jpeg, rgba, and png unless \
      the source is an animated png) get the first frame of an animation: standard error has a warning, and --json a field \
      droppedFrames.
      """)

  @Argument(help: ArgumentHelp("A URL or a file.", valueName: "in"))
  var input: Source

  @Argument(help: ArgumentHelp("The file to write.", valueName: "out"))
  var output: String

  @OptionGroup var pixels: PixelOptions
  @OptionGroup var coders: CoderOptions

  @Flag(help: "One JSON object.")
  var json = false

  func validate() throws {
    guard pixels.format != nil || OutputFormat(fileName: output) != nil else {
      throw ValidationError(
        "\(output) has no extension of a known format; add --format: \(OutputFormat.list).")
    }
  }

  func run() async throws {
    let pipeline = ImagePipeline(.init(loader: LoaderGroup.standard, memoryCache: nil, diskCache: nil))
    let rendering = Rendering(pixels: pixels, pipeline: pipeline, coders: coders, decodesCopies: true)
    do {
      let result = try await rendering.render(
        input, to: .file(output), request: try rendering.request(for: input))
      if json { Output.json(result) }
      if let warning = result.warning { Output.error("calotype: \(input.shown): \(warning)") }
    } catch {
      Failure(source: input.shown, error: error).report(asJSON: json)
      throw ExitCode(1)
    }
  }
}
