public import CalotypeImaging
import CalotypeURLs

/// A plan in readable form: the decode, each operation with the size of its result, the format, and the cost.
public struct PlanExplanation: Hashable, Sendable, Encodable {
  /// A size.
  public struct Size: Hashable, Sendable, Encodable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int

    init(_ size: PixelSize) { (width, height) = (size.width, size.height) }

    var text: String { "\(width)x\(height)" }
  }

  /// An operation.
  public struct Step: Hashable, Sendable, Encodable {
    /// The operation with its numbers.
    public let operation: String
    /// The size of its result; that of a trim is not known before it is applied.
    public let size: Size
  }

  /// The decode.
  public struct Decode: Hashable, Sendable, Encodable {
    /// The divisor by which the decoder may shrink the picture.
    public let divisor: Int
    /// The size that comes out of it, upright.
    public let size: Size
    /// All decisions in one line.
    public let decisions: String
  }

  /// The encode.
  public struct Encode: Hashable, Sendable, Encodable {
    /// The name of the format.
    public let format: String
    /// The quality; `nil` for formats without one.
    public let quality: Int?
    /// All decisions in one line.
    public let decisions: String
  }

  /// The prediction.
  public struct Cost: Hashable, Sendable, Encodable {
    /// Processor time in milliseconds.
    public let milliseconds: Double
    /// The most bytes at a time.
    public let bytes: Int
  }

  /// The reason why the source is its own result; `nil` if it is rendered.
  public private(set) var passedThrough: String?
  /// The decode.
  public private(set) var decode: Decode?
  /// The operations in order.
  public private(set) var steps: [Step] = []
  /// The encode.
  public private(set) var encode: Encode?
  /// The size of the result.
  public private(set) var result: Size?
  /// Whether the sizes are final; a plan with a trim learns them from the pixels.
  public private(set) var isExact = true
  /// The predicted work.
  public private(set) var cost: Cost?
  /// The deviations from the request.
  public private(set) var notices: [String] = []
  /// The request headers that other values might have led to another plan.
  public private(set) var varies: [String] = []

  /// Explains the plan for a source.
  public init(_ outcome: PlanOutcome, of info: ImageInfo) {
    switch outcome {
    case .passThrough(let plan): passedThrough = plan.reason.rawValue
    case .render(let plan):
      let size = info.orientation.apply(to: info.size)
      let divisor = max(plan.decode.divisor, 1)
      decode = Decode(
        divisor: divisor,
        size: Size(
          plan.decode.drawnSize
            ?? PixelSize(
              width: (size.width + divisor - 1) / divisor, height: (size.height + divisor - 1) / divisor)),
        decisions: plan.decode.decisions)
      steps = zip(plan.operations, plan.sizes).map { Step(operation: $0.decisions, size: Size($1)) }
      encode = Encode(
        format: plan.encode.format.name, quality: plan.encode.quality, decisions: plan.encode.decisions)
      result = Size(plan.resultSize)
      isExact = plan.isExact
      cost = Cost(milliseconds: plan.cost.milliseconds, bytes: plan.cost.byteCount)
      notices = plan.notices.map(\.rawValue).sorted()
      varies = plan.varyingHeaders
    }
  }

  /// The explanation as lines for people.
  public var lines: [String] {
    if let passedThrough { return ["result      the bytes of the source (\(passedThrough))"] }
    guard let decode, let encode, let result, let cost else { return [] }
    var lines = ["decode      \(decode.size.text), 1/\(decode.divisor): \(decode.decisions)"]
    lines += steps.map { "then        \($0.operation) -> \($0.size.text)" }
    lines.append("encode      \(encode.decisions)")
    lines.append(
      "result      \(result.text) \(encode.format)" + (isExact ? "" : ", before trims are applied"))
    let milliseconds = (cost.milliseconds * 10).rounded() / 10
    lines.append("cost        \(milliseconds) ms, \(cost.bytes) bytes")
    if !notices.isEmpty { lines.append("notices     " + notices.joined(separator: ", ")) }
    if !varies.isEmpty { lines.append("varies by   " + varies.joined(separator: ", ")) }
    return lines
  }
}
