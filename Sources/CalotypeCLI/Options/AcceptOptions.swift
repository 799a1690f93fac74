import ArgumentParser
import Calotype

/// The choice of an output format by an `Accept` field.
struct AcceptOptions: ParsableArguments {
  /// The formats that are chosen only if the field names them: programs that accept any image rarely know them.
  private static let recent: [ImageFormat] = [.avif, .jxl]

  private static let list: String = {
    let encodable = CoderRegistry.standard.encodableFormats
    let named = recent.filter { encodable.contains($0) }.map { "\($0) (if the field names it), " }
    return named.joined() + "webp, gif, apng, png and jpeg"
  }()

  @Option(
    name: .customLong("accept"),
    help: ArgumentHelp(
      "Write the format that suits this Accept header field and the image, and name the file by it.",
      discussion: "For example image/webp,*/*;q=0.8. The formats are \(list).",
      valueName: "types"))
  var field: String?

  func validate() throws {
    guard let field, AcceptHeader(field) == AcceptHeader(nil) else { return }
    throw ValidationError("--accept names no media type; write it as in image/webp,image/*;q=0.5.")
  }

  /// Whether the format, and the extension of the file, depends on the image.
  func choosesFormat(with pixels: PixelOptions) -> Bool { field != nil || pixels.format == .automatic }

  /// Checks these options together with those of the pixels and the output.
  ///
  /// - Throws: ``ArgumentParser/ValidationError``.
  func check(with pixels: PixelOptions, output: String) throws {
    guard choosesFormat(with: pixels) else { return }
    if field != nil, pixels.format != nil {
      throw ValidationError("--accept and --format exclude each other.")
    }
    if field != nil, pixels.asStored {
      throw ValidationError("--accept and --as-stored exclude each other; --keep-profile keeps colours.")
    }
    if OutputFormat(fileName: output) != nil {
      throw ValidationError(
        "\(field == nil ? "--format auto" : "--accept") chooses the format and the extension; name \(output) without its extension."
      )
    }
  }

  /// Returns the negotiation; `nil` without these options.
  ///
  /// The most compatible format comes last. GIF and APNG are for animations.
  func negotiation(for pixels: PixelOptions) -> OutputNegotiation? {
    guard let field else { return nil }
    let known: [ImageFormat] =
      pixels.lossless ? [.jxl, .webp, .apng, .png] : [.avif, .jxl, .webp, .gif, .apng, .png, .jpeg]
    let named = field.lowercased()
    let formats = known.filter { format in
      guard CoderRegistry.standard.canEncode(format) else { return false }
      return !Self.recent.contains(format) || named.contains("image/\(format)")
    }
    return .negotiated(
      accept: field,
      among: formats.map { pixels.encodeOptions(OutputFormat($0), source: nil, isAnimated: true) })
  }
}
