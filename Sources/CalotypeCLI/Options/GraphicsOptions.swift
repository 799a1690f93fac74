public import ArgumentParser
public import Calotype
import CalotypeSupport
import FoundationEssentials
import Glibc
import CalotypeTerminal

/// Options for displaying images in a terminal.
struct GraphicsOptions: ParsableArguments {
  /// The values of `--protocol`.
  enum Choice: String, CaseIterable, ExpressibleByArgument {
    case auto, kitty, iterm2, sixel, blocks, blocks256

    /// The protocol; `nil` to detect it.
    var graphics: GraphicsProtocol? { GraphicsProtocol(rawValue: rawValue) }
  }

  @Option(
    name: .customLong("protocol"),
    help: ArgumentHelp(
      "Graphics protocol of the terminal.",
      discussion:
        "auto asks the terminal for the best one; blocks is text in 24-bit colours, blocks256 in 256 colours.",
      valueName: "protocol"))
  var choice: Choice = .auto

  @Option(
    help: ArgumentHelp(
      "Colour behind transparent pixels: ffffff, black … Default: the background of the terminal.",
      valueName: "color")
  )
  var background: PixelColor?

  func validate() throws {
    if let background, background.alpha != 255 {
      throw ValidationError("--background must be opaque, such as ffffff.")
    }
  }

  /// Checks that the output can show images.
  ///
  /// - Throws: ``ArgumentParser/ValidationError``.
  func check(_ output: Int32, named name: String) throws {
    guard isatty(output) == 1 else {
      throw ValidationError(
        "\(name) is not a terminal that can show images; calotype get writes them to files.")
    }
    guard let type = getenv("TERM"), !["", "dumb"].contains(String(cString: type)) else {
      throw ValidationError(
        "By TERM, the terminal shows only text; set TERM to its type, such as xterm-256color."
      )
    }
  }

  /// Returns the terminal as detected, modified by these options.
  ///
  /// - Throws: `CancellationError`.
  func terminal(on output: Int32) async throws -> GraphicsTerminal {
    let workers = WorkerExecutor(name: "calotype-detect", threads: 1)
    let (wanted, environment) = (choice.graphics, ProcessInfo.processInfo.environment)
    var terminal = try await workers.run {
      GraphicsTerminal.detect(output: output, wanted: wanted, environment: environment)
    }
    terminal.encoder.background = background
    return terminal
  }
}

extension PixelColor: ExpressibleByArgument {
  /// Equivalent to ``init(_:)``.
  public init?(argument: String) { self.init(argument) }
}
