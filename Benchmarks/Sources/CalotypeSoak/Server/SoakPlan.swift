import Calotype
import FoundationEssentials

/// What one caller asks for and how long it waits: drawn at random, the same for the same seed.
struct SoakPlan: Sendable {
  let kind: SoakKind
  let number: Int
  /// Both sides of the box that the picture is shrunk to; `nil` for full size.
  let side: Int?
  /// When the caller leaves.
  let leavesAfter: Duration?
  let deadline: Duration?
  let priority: ImageRequest.Priority

  /// How many pictures there are for those who bring their own.
  static let uploads = 8
  /// The longest that a transfer may take.
  static let transferLimit = Duration.seconds(15)

  init(
    _ kind: SoakKind, number: Int, side: Int?, leavesAfter: Duration? = nil, deadline: Duration? = nil,
    priority: ImageRequest.Priority = .normal
  ) {
    self.kind = kind
    self.number = number
    self.side = side
    self.leavesAfter = leavesAfter
    self.deadline = deadline
    self.priority = priority
  }

  /// One of those that come all the time.
  static func random(using random: inout SplitMix) -> SoakPlan {
    let kind = SoakKind.random(using: &random)
    let number =
      switch kind {
      case .hot: popular(using: &random)
      // Only so many are at hand; an identifier of its own for each all the same.
      case .upload:
        Int(random.next() % (1 << 20)) * SoakPicture.classCount + Int(random.next() % UInt64(uploads))
      default: Int(random.next() % (1 << 30))
      }
    let sides: [Int?] = [64, 128, 128, 320, 320, 640, 640, kind == .hot ? 320 : nil]
    let leaves = random.next() % 8 == 0
    let leavesAfter = Duration.milliseconds(Int(random.next() % 400))
    let hasDeadline = random.next() % 3 > 0
    let deadline = Duration.milliseconds(1_000 + Int(random.next() % 9_000))
    let priorities: [ImageRequest.Priority] = [.low, .normal, .normal, .normal, .high]
    return SoakPlan(
      kind, number: number, side: sides[Int(random.next() % UInt64(sides.count))],
      leavesAfter: leaves ? leavesAfter : nil, deadline: hasDeadline ? deadline : nil,
      priority: priorities[Int(random.next() % 5)])
  }

  /// By when it must have ended, whatever happens.
  var limit: Duration {
    let waits = [leavesAfter, deadline, SoakBounds.patience].compactMap { $0 }
    return (waits.min() ?? SoakBounds.patience) + SoakBounds.endingSlack
  }

  var picture: SoakPicture { SoakPicture(number) }

  func request(_ source: ImageSource) -> ImageRequest {
    var request = ImageRequest(source: source, thumbnail: side.map { .fit(width: $0, height: $0) })
    request.deadline = deadline
    request.priority = priority
    request.timeouts.total = Self.transferLimit
    request.tags = [kind.rawValue]
    // Those who come by the thousand are somebody's.
    if kind == .flood { request.partition = "flood" }
    return request
  }

  /// How a call ended, and what is wrong with that.
  func ending(_ result: Result<Image, any Error>) -> (name: SoakEnding, objection: String?) {
    switch (kind.expectation, result) {
    case (.picture, .success(let image)):
      return (.picture, picture.objection(to: image, side: side))
    case (.failure, .success(let image)):
      return (.picture, "an image of \(image.bitmap.size) of what is none")
    case (_, .failure(is CancellationError)):
      return (.left, leavesAfter == nil ? "cancelled, and nobody has left" : nil)
    case (_, .failure(PipelineError.deadlineExceeded)):
      return (.deadline, deadline == nil ? "a deadline, and there is none" : nil)
    case (.failure, .failure):
      return (.failure, nil)
    case (.picture, .failure(let error)):
      let code = (error as? any CalotypeError)?.code ?? "unknown"
      let isRefusal = (error as? any CalotypeError)?.isRetryable == true && !Self.faults.contains(code)
      return (.refusal, isRefusal ? nil : "\(error)")
    }
  }

  /// Codes of errors that a retry may help against, and that a good server gives no reason for.
  private static let faults: Set<String> = [
    "hostNotFound", "connectionFailed", "truncatedBody", "contentChanged", "outOfMemory",
  ]

  // MARK: Popularity

  /// Zipf's law: the second is asked for half as often as the first, and so on.
  private static func popular(using random: inout SplitMix) -> Int {
    let point = Double(random.next() >> 11) / Double(1 << 53) * (cumulated.last ?? 1)
    var (low, high) = (0, cumulated.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if cumulated[middle] < point { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static let cumulated: [Double] = {
    var sum = 0.0
    return (1...1_000).map { rank in
      sum += 1 / Double(rank)
      return sum
    }
  }()
}

/// How a call ended.
enum SoakEnding: String, CaseIterable, Sendable {
  case picture, refusal, deadline, left, failure
}
