import Testing

@testable import CalotypeAdmission

@Suite("Learning the cost of conversions")
struct CostLearnerTests {
  static let pair = CostPair("jpeg", to: "webp")

  @Test(arguments: [(actual: 30, ratio: 1.5), (10, 0.5), (1000, 4), (0, 0.25), (20, 1)])
  func ratiosApproachMeasurements(_ row: (actual: Int, ratio: Double)) throws {
    var learner = CostLearner()
    for _ in 0..<200 {
      learner.record(predicted: .milliseconds(20), actual: .milliseconds(row.actual), for: Self.pair)
    }
    let known = try #require(learner.ratios[Self.pair])
    #expect(abs(known.ratio - row.ratio) < 0.01 * row.ratio + 0.001)
    #expect(known.count == 200 && abs(known.predictedSeconds - 4) < 1e-9)
    #expect(abs(known.actualSeconds - Double(row.actual) * 0.2) < 1e-9)
    let corrected = learner.corrected(.milliseconds(20), for: Self.pair)
    #expect(abs(corrected / .milliseconds(20) - known.ratio) < 1e-6)
    // Others are not affected.
    #expect(learner.corrected(.milliseconds(20), for: CostPair("webp", to: "jpeg")) == .milliseconds(20))
    #expect(learner.corrected(.milliseconds(20), for: nil) == .milliseconds(20))
  }

  @Test func oneMeasurementIsNotBelievedAlone() {
    var learner = CostLearner()
    learner.record(predicted: .milliseconds(10), actual: .milliseconds(20), for: Self.pair)
    #expect(learner.ratios[Self.pair]?.ratio == 1.5)
  }

  @Test func nonsenseIsIgnored() {
    var learner = CostLearner()
    learner.record(predicted: .zero, actual: .milliseconds(1), for: Self.pair)
    learner.record(predicted: .milliseconds(-5), actual: .milliseconds(1), for: Self.pair)
    learner.record(predicted: .milliseconds(5), actual: .milliseconds(-1), for: Self.pair)
    #expect(learner.ratios.isEmpty)
    learner.record(predicted: .nanoseconds(1), actual: .seconds(Int64.max), for: Self.pair)
    let corrected = learner.corrected(.seconds(Int64.max), for: Self.pair)
    #expect(corrected >= .zero && corrected <= AdmissionCost.maximumDuration)
    #expect(learner.corrected(.seconds(Int64.min), for: Self.pair) == .zero)
  }

  @Test func pairsAreBounded() {
    var learner = CostLearner()
    for index in 0..<1000 {
      learner.record(
        predicted: .milliseconds(1), actual: .milliseconds(2), for: CostPair("\(index)", to: "x"))
    }
    #expect(learner.ratios.count == CostLearner.capacity)
    // Known ones are still learned.
    learner.record(predicted: .milliseconds(1), actual: .milliseconds(2), for: CostPair("0", to: "x"))
    #expect(learner.ratios[CostPair("0", to: "x")]?.count == 2)
  }
}
