/// What a caller asks for.
enum SoakKind: String, CaseIterable, Sendable {
  /// One of a thousand pictures, the first of them most of all.
  case hot
  /// A picture that nobody has asked for.
  case ordinary
  /// Bytes that the caller has.
  case upload
  /// A server that answers after seconds.
  case slow
  /// A server that sends some bytes each second.
  case dripping
  /// A body without a declared length.
  case unsized
  /// A body that is shorter than its declared length.
  case longer
  /// A body that is cut off at its declared length.
  case shorter
  /// A connection that breaks in the middle.
  case truncated
  /// No image, or one that says it is huge.
  case hostile
  /// Status 404.
  case missing
  /// Status 500.
  case failing
  /// A redirect to a picture.
  case redirected
  /// A redirect that leads back to itself.
  case circling
  /// A picture whose events nobody reads for seconds.
  case idle
  /// The picture by which the latency of all is judged.
  case canary
  /// One of thousands of callers of one picture.
  case herd
  /// One of thousands of callers, each of a picture of its own.
  case flood

  /// How many of a hundred callers ask for it; 0 for those that come at times of their own.
  var weight: Int {
    switch self {
    case .hot: 40
    case .ordinary: 20
    case .slow: 6
    case .upload, .dripping, .unsized, .hostile: 4
    case .missing, .redirected, .truncated: 3
    case .longer, .shorter, .failing, .idle: 2
    case .circling: 1
    case .canary, .herd, .flood: 0
    }
  }

  /// How it should end.
  var expectation: Expectation {
    switch self {
    case .hot, .ordinary, .upload, .slow, .unsized, .redirected, .idle, .canary, .herd, .flood: .picture
    case .dripping, .longer, .shorter, .truncated, .hostile, .missing, .failing, .circling: .failure
    }
  }

  /// Which of the servers of ``SoakOrigin`` it is asked of.
  var server: SoakOrigin.Server {
    switch self {
    case .canary: .fast
    case .slow: .slow
    case .dripping: .dripping
    case .longer, .shorter, .truncated, .hostile, .failing, .circling: .broken
    case .hot, .ordinary, .upload, .unsized, .missing, .redirected, .idle, .herd, .flood: .ordinary
    }
  }

  /// How something ends that is not given up before.
  enum Expectation: Sendable {
    /// With the right picture, or a refusal because there is too much to do.
    case picture
    /// With an error of any kind.
    case failure
  }

  /// One of those that have a weight.
  static func random(using random: inout SplitMix) -> SoakKind {
    var rest = Int(random.next() % UInt64(allCases.reduce(0) { $0 + $1.weight }))
    for kind in allCases {
      rest -= kind.weight
      if rest < 0 { return kind }
    }
    return .ordinary
  }
}
