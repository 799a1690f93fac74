// The names that pages about the image server take for granted; see Prelude.swift.
import Calotype
import CalotypeAdmission
import CalotypeImaging
import CalotypeLogs
import CalotypePlanning
import CalotypeResults
import CalotypeServing
import CalotypeSettings
import CalotypeURLs
import Foundation
import HTTPTypes
import Hummingbird

func given<T>() -> T { fatalError() }

var source: String { given() }
var target: String { given() }
var accept: String { given() }
var data: Data { given() }
var head: Data { given() }
var info: ImageInfo { given() }
var coders: CoderRegistry { given() }
var policy: PlanningPolicy { given() }
var plan: RenderPlan { given() }
var options: ProcessingOptions { given() }
var request: HTTPRequest { given() }
var settings: Settings { given() }
var dialect: ImgproxyDialect {
  get { given() }
  set {}
}

struct Rendered: Sendable {
  var body: Data { given() }
  var facts: ResultFacts { given() }
  var processorTime: Duration { given() }
}
func render() async throws -> Rendered { given() }
func render(_ plan: RenderPlan) async throws -> Rendered { given() }
func send(_ response: ServedResponse) {}
func store(_ result: Rendered) {}
func send(_ text: String) {}

enum GivenInCalotypeAdmission {
  static var job: AdmissionJob { given() }
  static var pair: CostPair { given() }
  static var now: Duration { given() }
  static var later: Duration { given() }
  static func respond(_ status: Int, _ code: String, retryAfter: Int?) {}
}

enum GivenInCalotypeResults {
  static var refusal: AdmissionRefusal { given() }
  static var purges: PurgeTable { given() }
  static var failure: Failure { given() }
  static var failures: NegativeResults {
    get { given() }
    set {}
  }
  static var random: SystemRandomNumberGenerator {
    get { given() }
    set {}
  }
  static var now: Int64 { given() }
}
enum GivenInNegativeResults {
  static var now: Duration { given() }
  static var failure: Failure { given() }
  static var failures: NegativeResults {
    get { given() }
    set {}
  }
  static var random: SystemRandomNumberGenerator {
    get { given() }
    set {}
  }
}

enum GivenInCalotypeSettings {
  static var current: Settings { given() }
  static var inputs: SettingsInputs { given() }
  static var loaded: LoadedSettings { given() }
  static var options: [String] { given() }
}

enum GivenInUploads {
  static var router: Router<BasicRequestContext> { given() }
  static func store<Images>(_ images: Images) async throws -> String { given() }
}
