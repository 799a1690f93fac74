import CalotypeImaging
import CalotypePlanning
import CalotypeURLs
import FoundationEssentials

/// Sizes that depend on pixels: pictures are decoded, trimmed, and planned again.
enum TrimCases {
  static func evaluate(_ vector: ConformanceVector, pictures: String?) throws -> ConformanceVerdict {
    let name = vector.input.prefix(before: " ")
    let file = name.split(separator: "/").last.map(String.init) ?? name
    guard let pictures, !file.hasPrefix("."),
      let data = FileManager.default.contents(atPath: pictures + "/" + file)
    else { return .refused("needs the pixels of \(name)") }
    let info = try CoderRegistry.standard.probe(data)
    let options = try ImgproxyDialect.permissive().options(
      SizeCases.segments(of: vector.input).joined(separator: "/"))
    let request = PlanRequest(options, of: info)
    guard case .render(let plan) = try Planner().plan(request), let trim = plan.pendingTrim else {
      return .answer("not trimmed", agrees: false)
    }
    if case .trim(let operation) = plan.operations[trim],
      operation.isEqualHorizontally || operation.isEqualVertically
    {
      return .refused("trims of equal sides are not available yet")
    }
    let rendering = try plan.rendering(of: info)
    let trimmed = try CoderRegistry.standard.decode(data, options: rendering.decode).size
    guard case .render(let final) = try Planner().plan(request, trimmedTo: [trimmed]) else {
      return .answer("not rendered", agrees: false)
    }
    return .answer(
      "\(final.resultSize.width)x\(final.resultSize.height)", expected: vector.expected.prefix(before: " "))
  }
}
