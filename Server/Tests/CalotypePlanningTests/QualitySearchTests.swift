import CalotypeImaging
import CalotypePlanning
import CalotypeURLs
import FoundationEssentials
import Testing

/// Qualities by measuring, and the best format.
@Suite("Searches for quality and format")
struct QualitySearchTests {
  @Test func urlsCompleteTheSearchOfTheServer() throws {
    var policy = PlanningPolicy()
    policy.autoquality = .init(
      method: .dssim, target: 0.01, minQuality: 50, maxQuality: 90, allowedError: 0.001)
    policy.autoqualityMinimum = [.webp: 40]
    let options = try Samples.plan("f:webp", policy: policy).encode.options()
    #expect(options.qualityTarget == .target(.dssim(0.01), tolerance: 0.001, range: 40...90))
    let given = try Samples.plan("f:webp/aq:dssim:0.02:60:80:0.002", policy: policy).encode.options()
    #expect(given.qualityTarget == .target(.dssim(0.02), tolerance: 0.002, range: 60...80))
    #expect(try Samples.plan("f:webp/aq:none", policy: policy).encode.options().qualityTarget == nil)
    #expect(try Samples.plan("f:png", policy: policy).encode.options().qualityTarget == nil)
    policy.autoqualityPixels = 200 * 100 - 1
    #expect(try Samples.plan("f:webp", policy: policy).encode.options().qualityTarget == nil)
  }

  @Test func sizesAreLimits() throws {
    let options = try Samples.plan("f:jpg/aq:size:5000:60:85").encode.options()
    #expect(options.maxFileSize == 5000 && options.quality == 85 && options.qualityTarget == nil)
    #expect(try Samples.plan("f:jpg/aq:size:5000/mb:3000").encode.options().maxFileSize == 3000)
  }

  @Test func theBestFormatIsOneThatClientsShow() throws {
    var policy = PlanningPolicy()
    policy.automaticFormats = [.webp]
    let accept = "image/avif,image/webp"
    #expect(try Samples.plan("f:best", policy: policy, accept: accept).encode.candidates.first == .webp)
    #expect(try !Samples.plan("f:best", policy: policy).encode.candidates.contains(.webp))
    #expect(try Samples.plan("w:10", policy: policy, accept: accept).encode.candidates.isEmpty)
    policy.prefersBestFormat = true
    #expect(try !Samples.plan("w:10", policy: policy, accept: accept).encode.candidates.isEmpty)
    #expect(try Samples.plan("f:jpg", policy: policy, accept: accept).encode.candidates.isEmpty)
    let transparent = ImageInfo(format: .png, size: PixelSize(width: 200, height: 100), hasAlpha: true)
    #expect(try !Samples.plan("f:best", of: transparent, policy: policy).encode.candidates.contains(.jpeg))
    policy.bestFormatPixels = 10
    let plan = try Samples.plan("f:best", policy: policy)
    #expect(plan.encode.candidates.isEmpty && plan.notices.contains(.bestFormatNotSearched))
  }

  @Test func knobsOfMozjpegAreTheSmallestEffort() throws {
    #expect(try Samples.plan("f:jpg/jpgo:0:0:1").encode.options().effort == .small)
    #expect(try Samples.plan("f:jpg").encode.options().effort == .balanced)
  }
}
