import CalotypeImaging
import CalotypePlanning
import CalotypeURLs
import Testing

/// Hostile numbers, and the limits that they meet.
@Suite("Limits")
struct LimitTests {
  private func fault(_ text: String, of info: ImageInfo, byteCount: Int? = nil) throws -> PlanningError.Fault?
  {
    do {
      _ = try Planner().plan(PlanRequest(try Samples.options(text), of: info, byteCount: byteCount))
      return nil
    } catch let error as PlanningError {
      #expect(!error.place.isEmpty && !error.reason.isEmpty && !error.remedy.isEmpty)
      return error.fault
    }
  }

  private func picture(_ width: Int, _ height: Int, frames: Int = 1) -> ImageInfo {
    ImageInfo(format: frames > 1 ? .gif : .png, size: Samples.size(width, height), frameCount: frames)
  }

  @Test(arguments: [
    ("", 10_000, 5_000, 1, PlanningError.Fault?.none), ("", 10_001, 5_000, 1, .sourceTooLarge),
    ("msr:51", 10_001, 5_000, 1, nil), ("", 0, 5, 1, .emptySource), ("", -1, -1, 1, .emptySource),
    ("", .max, .max, 1, .sourceTooLarge), ("msr:1e15", .max, 1, 1, .sourceTooLarge),
    // All frames count, unless frames have a limit of their own.
    ("maf:100", 1000, 1000, 50, nil), ("maf:100", 1000, 1000, 51, .sourceTooLarge),
    ("maf:50", 1000, 1000, 51, nil),
    ("maf:100/mafr:2", 1000, 1000, 100, nil), ("maf:100/mafr:0.5", 1000, 1000, 100, .frameTooLarge),
    ("f:png/maf:100", 1000, 1000, 100, nil), ("maf:100/mafr:0.5", 1000, 1000, 1, nil),
    ("w:10001/h:10000/rt:force/el:1", 10, 10, 1, .resultTooLarge),
    ("pd:2000000000", 10, 10, 1, .resultTooLarge),
    ("ex:1/w:2000000000/h:2000000000", 10, 10, 1, .resultTooLarge),
    ("w:65536/h:1/el:1/rt:force", 10, 10, 1, .resultTooLarge),
    ("z:1000000000000:0.0000000001/el:1", 10, 10, 1, .resultTooLarge),
    ("dpr:100000000000000000000/el:1", 10, 10, 1, .resultTooLarge),
    // Small ones are at least a pixel.
    ("dpr:0.000000000000001", 10, 10, 1, nil), ("z:0.00000000001", 10, 10, 1, nil),
    ("c:0.0000001:0.0000001", 10, 10, 1, nil), ("c:99999999999999999999:1", 10, 10, 1, nil),
    ("pg:1", 10, 10, 1, .noSuchPage), ("pg:2", 10, 10, 3, nil), ("pg:3", 10, 10, 3, .noSuchPage),
    ("g:no:99999999999999999999:99999999999999999999/rs:fill:5:2", 10, 10, 1, nil),
    ("car:0.0000001", 10, 10, 1, nil), ("car:1000000000:1", 10, 10, 1, nil),
    ("wm:1:re:-99999999999", 10, 10, 1, nil), ("pix:2000000000", 10, 10, 1, nil),
    ("bl:99999999999999", 10, 10, 1, nil), ("mrd:1", 10, 10, 1, nil),
    ("mrd:1/pd:5:500:50:5000", 10, 10, 1, nil),
  ])
  func faults(_ text: String, _ width: Int, _ height: Int, _ frames: Int, _ expected: PlanningError.Fault?)
    throws
  {
    #expect(try fault(text, of: picture(width, height, frames: frames)) == expected)
  }

  @Test func files() throws {
    #expect(try fault("msfs:100", of: picture(1, 1), byteCount: 101) == .sourceFileTooLarge)
    #expect(try fault("msfs:100", of: picture(1, 1), byteCount: 100) == nil)
    #expect(try fault("msfs:100", of: picture(1, 1)) == nil)
    #expect(try fault("", of: picture(1, 1), byteCount: .max) == nil)
  }

  @Test(arguments: [1, 2, 7, 50, 99, 100, 333]) func longestSidesAreKept(_ limit: Int) throws {
    for text in [
      "pd:100:200:300:400/rs:fit:100:100", "ex:1/w:500/h:300", "exar:1/w:300/h:50", "pd:1/dpr:3", "",
    ] {
      let plan = try Samples.plan("\(text)\(text.isEmpty ? "" : "/")mrd:\(limit)")
      #expect(max(plan.resultSize.width, plan.resultSize.height) <= limit, "\(text)")
      #expect(min(plan.resultSize.width, plan.resultSize.height) >= 1)
    }
  }

  @Test func largestFormats() throws {
    var policy = PlanningPolicy()
    policy.limits.sourcePixels = 1_000_000_000
    let info = ImageInfo(format: .png, size: Samples.size(65_535, 100))
    let plan = try Samples.plan("f:webp", of: info, policy: policy)
    #expect(plan.resultSize == Samples.size(16_383, 25))
    #expect(plan.notices == [.scaledToFormat])
    #expect(try Samples.plan("f:jpg", of: info, policy: policy).resultSize.width == 65_500)
    #expect(try Samples.plan("f:gif", of: info, policy: policy).resultSize.width == 65_535)
    #expect(try Samples.plan("f:ico", of: info, policy: policy).resultSize == Samples.size(256, 1))
  }
}
