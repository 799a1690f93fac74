import CalotypeImaging
import CalotypePlanning
import CalotypeURLs

/// The statuses that a planner decides on. All others need a server.
enum StatusCases {
  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    var policy = PlanningPolicy()
    var options = ProcessingOptions()
    var info = ImageInfo(format: .png, size: PixelSize(width: 100, height: 100))
    let text = vector.input.lowercased()
    if text.contains("format cannot be written") {
      options.format = .tiff
    } else if text.contains("max_src_file_size") {
      policy.limits.sourceBytes = 1
    } else if text.contains("max_src_resolution") {
      info.size = PixelSize(width: 10_000, height: 10_000)
    } else {
      return .refused("not evaluated yet")
    }
    do throws(PlanningError) {
      _ = try Planner(policy).plan(PlanRequest(options, of: info, byteCount: 1000))
      return .answer("200", expected: vector.expected.prefix(before: " "))
    } catch {
      return .answer("\(error.status)", expected: vector.expected.prefix(before: " "))
    }
  }
}
