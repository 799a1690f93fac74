import ArgumentParser
import Calotype
import CalotypeLibraryCoders
import FoundationEssentials

/// The choice of decoders.
struct CoderOptions: ParsableArguments {
  /// The values of `--coders`.
  enum Choice: String, CaseIterable, ExpressibleByArgument {
    case standard, libraries
  }

  @Option(
    name: .customLong("coders"),
    help: ArgumentHelp(
      "Decoders: standard, or libraries for libspng, giflib, TurboJPEG and libwebp only (slower, no previews).",
      valueName: "coders"))
  var choice: Choice = .standard

  @Flag(
    help: ArgumentHelp(
      "Decode in processes that can do nothing else: no files, no network. CALOTYPE_SANDBOX=1 does the same.",
      discussion:
        "HEIF and SVG always are, in builds that have them; `calotype sandbox check` tells the protections."))
  var sandbox = false

  /// The place where images are decoded.
  var decoding: DecodingIsolation { Self.decoding(isSandboxed: isSandboxed) }

  /// Returns the place where images are decoded. HEIF and SVG always are in a sandbox.
  static func decoding(isSandboxed: Bool = environmentAsks) -> DecodingIsolation {
    .sandboxed(formats: isSandboxed ? .all : .only([.heif, .svg]))
  }

  /// Whether all images are decoded in a sandbox.
  var isSandboxed: Bool { sandbox || CoderOptions.environmentAsks }

  /// Whether the environment asks for a sandbox.
  static var environmentAsks: Bool {
    !["", "0"].contains(ProcessInfo.processInfo.environment["CALOTYPE_SANDBOX"] ?? "")
  }

  func validate() throws {
    if isSandboxed, choice == .libraries {
      throw ValidationError("--coders libraries decodes in this process; it excludes a sandbox.")
    }
  }

  /// The coders for decoding outside of the pipeline.
  var registry: CoderRegistry { choice == .libraries ? .libraries : .standard }

  /// Returns `request` with these coders, whose name is part of its keys: results of other coders are not
  /// found in the caches.
  func applied(to request: ImageRequest) -> ImageRequest {
    guard choice != .standard else { return request }
    var request = request
    request.coders = ImageRequest.Identified(choice.rawValue, registry)
    return request
  }
}
