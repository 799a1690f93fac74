import CalotypeImaging
import CalotypePlanning
import CalotypeURLs

/// The negotiation of formats and sizes.
enum NegotiationCases {
  static func accept(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    guard let mark = vector.input.firstRange(of: "Accept=") else { return .refused("no Accept") }
    let policy = PolicyText.policy(vector.input[..<mark.lowerBound])
    let formats = ClientFormats(policy, accept: AcceptHeader(vector.input[mark.upperBound...]))
    let found = formats.preferred.map { format in
      (formats.enforced.contains(format) ? "prefer and enforce " : "prefer ") + format.rawValue
    }
    let expected = vector.expected.contains("a correct server refuses") ? "nothing" : vector.expected
    return .answer(found.isEmpty ? "nothing" : found.joined(separator: ", "), expected: expected)
  }

  static func vary(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let policy = PolicyText.policy(vector.input[...])
    let info = ImageInfo(format: .png, size: PixelSize(width: 100, height: 100))
    guard case .render(let plan) = try Planner(policy).plan(PlanRequest(ProcessingOptions(), of: info)) else {
      return .answer("passed on", agrees: false)
    }
    let found =
      plan.varyingHeaders.isEmpty ? "no Vary" : "Vary: " + plan.varyingHeaders.joined(separator: ", ")
    let expectsNone = !vector.expected.lowercased().contains("vary:")
    return .answer(
      found,
      agrees: expectsNone
        ? plan.varyingHeaders.isEmpty : found.lowercased() == vector.expected.lowercased())
  }

  static func hints(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    var fields: [String: String] = [:]
    let text = vector.input.split(separator: ";").last ?? ""
    for field in text.split(whereSeparator: { "+,".contains($0) }) {
      let sides = field.split(separator: ":", maxSplits: 1)
      if sides.count == 2 { fields[sides[0].trimmed(of: " ").lowercased()] = sides[1].trimmed(of: " ") }
    }
    var policy = PlanningPolicy()
    policy.usesClientHints = !vector.input.contains("hints off")
    // The hints in effect are those that change a plan: a picture of which neither option is given.
    let hints = ClientHints(largestRatio: policy.limits.hintedRatio) { fields[$0.lowercased()] }
    var found: [String] = []
    if policy.usesClientHints {
      if let ratio = hints.dpr { found.append("dpr \(number(ratio))") }
      if let width = hints.width { found.append("width \(width)") }
    }
    let isIgnored = vector.expected.hasPrefix("ignored")
    return .answer(
      found.isEmpty ? "ignored" : found.joined(separator: " "),
      agrees: isIgnored
        ? found.isEmpty : found.joined(separator: " ") == vector.expected.replacing(",", with: ""))
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }
}
