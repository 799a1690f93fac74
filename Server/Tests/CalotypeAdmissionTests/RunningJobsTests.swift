import Testing

@testable import CalotypeAdmission

@Suite("Predicted waits for workers")
struct RunningJobsTests {
  struct Case: Sendable {
    /// The costs of jobs that started at 0.
    let running: [Int64]
    let workers: Int
    let work: Int64
    var now: Int64 = 0
    let wait: Int64
  }

  static let cases = [
    Case(running: [], workers: 2, work: 0, wait: 0),
    Case(running: [], workers: 2, work: 100, wait: 50),
    Case(running: [10], workers: 2, work: 0, wait: 0),
    Case(running: [10, 200], workers: 2, work: 0, wait: 10),
    Case(running: [10, 200], workers: 2, work: 50, wait: 60),
    Case(running: [10, 200], workers: 2, work: 190, wait: 200),
    Case(running: [10, 200], workers: 2, work: 290, wait: 250),
    Case(running: [100], workers: 2, work: 60, wait: 60),
    Case(running: [100], workers: 2, work: 300, wait: 200),
    Case(running: [100, 100], workers: 2, work: 0, now: 30, wait: 70),
    // A job that has taken longer than predicted needs an eighth more.
    Case(running: [100], workers: 1, work: 0, now: 160, wait: 20),
    // The number of workers has become smaller: two of three have to end.
    Case(running: [10, 20, 30], workers: 2, work: 0, wait: 20),
  ]

  @Test(arguments: cases) func waits(_ row: Case) {
    var jobs = RunningJobs()
    for (id, cost) in row.running.enumerated() {
      jobs.insert(id, RunningJobs.Job(line: 0, cost: cost, byteCount: 1, start: 0, isAlone: false))
    }
    #expect(jobs.wait(after: row.work, workers: row.workers, at: row.now) == row.wait)
  }
}
