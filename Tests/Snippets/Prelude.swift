// The names that pages take for granted. Those of `GivenInPAGE` are for one page or source file, those of `GivenInMODULE` for
// the pages about one module; both come before the others. Pages of the image server have those in Server.swift. Nothing here
// is ever run.
import Calotype
import CalotypeCaching
import CalotypeDisplay
import CalotypeImaging
import CalotypeLoading
import CalotypeTestKit
import CalotypeTiers
import CalotypeURLs
import Crypto
import Foundation
import HTTPTypes
import Logging
import ServiceLifecycle

func given<T>() -> T { fatalError() }

// Values of the library.
var url: URL { given() }
var urls: [URL] { given() }
var file: URL { given() }
var folder: URL { given() }
var pipeline: ImagePipeline { given() }
var request: ImageRequest {
  get { given() }
  set {}
}
var requests: [ImageRequest] { given() }
var configuration: ImagePipeline.Configuration {
  get { given() }
  set {}
}
var image: Image { given() }
var drawn: Image { given() }
var gray: Image { given() }
var badge: Image { given() }
var bitmap: Bitmap { given() }
var data: Data { given() }
var bytes: Data { given() }
var png: Data { given() }
var gif: Data { given() }
var prefix: Data { given() }
var body: LoadBody { given() }
var key: CacheKey { given() }
var slot: ImageSlot { given() }
var prefetcher: Prefetcher { given() }
var memoryCache: MemoryCache<Image> { given() }
var disk: DiskCache { given() }
var loader: any ImageLoading { given() }
var curlLoader: CurlLoader { given() }
var httpLoader: HTTPLoader { given() }
var accept: String? { given() }
var id: String { given() }
var logger: Logger { given() }
var log: Logger { given() }

// The surroundings of a snippet in a program.
func show(_ items: Any?...) {}
func draw(_ image: Image?, by transition: SlotState.Transition) {}
func draw(_ bitmap: Bitmap) {}
func draw(_ series: Series) async throws -> Image { given() }
func draw(digit: Int) throws -> Bitmap { given() }

struct Series: Sendable { var revision: String { given() } }
var series: Series { given() }

struct Row: Sendable { var revision: String { given() } }
var row: Row { given() }

struct Database: Sendable { func bytes(of row: Row) async throws -> Data { given() } }
var database: Database { given() }

struct Client: Sendable {
  var account: String { given() }
  func object(named name: String) async throws -> Data { given() }
}
var client: Client { given() }

struct TokenStore: Sendable {
  var user: String { given() }
  func current() async throws -> String { given() }
}
var tokens: TokenStore { given() }

struct Authorizing: LoadIntercepting {
  init(tokens: TokenStore) {}
  var identity: String { given() }
}

struct ProgressView { func update(_ progress: LoadProgress) {} }
var bar: ProgressView { given() }

struct Server: Service { func run() async throws {} }
var server: Server { given() }

struct Head {
  var headerFields: HTTPFields { given() }
  var method: HTTPRequest.Method { given() }
}
var head: Head { given() }

struct MyLoader: ImageLoading {
  init(region: String? = nil) {}
  func accepts(_ source: ImageSource) -> Bool { given() }
  func load(_ request: LoadRequest) async throws -> LoadResponse { given() }
}
struct MyDecoder: ImageDecoding {
  var formats: [ImageFormat] { given() }
  var signatureLength: Int { given() }
  func format(of prefix: Data) -> ImageFormat? { given() }
  func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? { given() }
  func decode(_ data: Data, minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> Image {
    given()
  }
}
struct MyEncoder: ImageEncoding {
  var format: ImageFormat { given() }
  var refusal: ImagingError? { given() }
  func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data { given() }
}

enum GivenInREADME {
  static var salt: String { given() }
  static var key: String { given() }
}

enum GivenInCalotypeImaging {
  static var body: LoadBody { given() }
  static var photo: Image { given() }
  static var old: Image { given() }
  static var new: Image { given() }
  static func show(_ frame: Image, for duration: Duration) async throws {}
  static func show(_ items: Any?...) {}
  static var small: Bitmap { given() }
  static var known: PerceptualHash { given() }
}
enum GivenInTransforms { static var logo: Bitmap { given() }; static var scale: Double { given() } }
enum GivenInBitmap_Resampling { static var photo: Bitmap { given() } }
enum GivenInJPEGOptimizer { static var photo: Data { given() } }
enum GivenInJXLTranscoder { static var photo: Data { given() } }

enum GivenInFactsAndPlaceholders {
  static var known: PerceptualHash { given() }
  static var bytes: [UInt8] { given() }
}

enum GivenInCalotypeLoading {
  static var request: LoadRequest {
    get { given() }
    set {}
  }
  static var response: LoadResponse { given() }
  static var decoder: IncrementalDecoder { given() }
  static var length: Int { given() }
}
enum GivenInPartialStore {
  static var configuration: HTTPLoader.Configuration {
    get { given() }
    set {}
  }
}

/// A framework of servers whose bodies are sequences of buffers, as that of Hummingbird.
enum GivenInLoading {
  struct Buffer: Sendable { var readableBytesView: [UInt8] { given() } }
  struct Request {
    var headers: HTTPFields { given() }
    var body: AsyncStream<Buffer> { given() }
  }
  struct Router { func post(_ path: String, _ handler: @Sendable (Request, Int) async throws -> String) {} }
  static var router: Router { given() }
  static func store(_ image: Image) async throws -> String { given() }

  struct Answer {
    var status: Int { given() }
    var headers: HTTPFields { given() }
    var body: Data { given() }
  }
  struct SomeClient: Sendable {
    func get(_ url: URL, _ headers: HTTPFields, limit: Int?) async throws -> Answer { given() }
  }
  struct Abort: Error { init(status: Int, code: String, retryAfter: Duration?) {} }
  struct NotForUs: Error {}
  static var token: String { given() }
  static var mirror: URL { given() }
  static var placeholder: URL { given() }
  static var body: ByteStream { given() }
  static func keep(_ bytes: Data, validators: LoadRequest.Validators?) {}
  static func log(_ message: String) {}
}

enum GivenInByteStream {
  static var request: GivenInLoading.Request { given() }
  static var uploadID: String { given() }
}
extension Data { init(buffer: GivenInLoading.Buffer) { self = given() } }
enum GivenInBodyTransforming {
  struct Unmask: ChunkTransforming {
    var mask: UInt8
    mutating func transform(_ chunk: Data) throws -> Data { given() }
    mutating func finish() throws -> Data { given() }
  }
}

enum GivenInPipeline {
  struct HTTPError: Error { init(_ status: HTTPResponse.Status, headers: HTTPFields) {} }
  struct Tenant { var id: String { given() } }
  static var tenant: Tenant { given() }
}

enum GivenInServing {
  struct MalformedManifest: Error {}
  static var text: String { given() }
  static func respond(_ status: HTTPResponse.Status, _ fields: HTTPFields, _ body: Data?) {}
}

enum GivenInPrefetching { static func retryLater(_ requests: [ImageRequest]) {} }

enum GivenInSlots {
  struct Settings: Sendable {
    var alwaysOriginal: Bool { given() }
    var meteredInterfaces: [String] { given() }
  }
  static var settings: Settings { given() }
  static var state: SlotState { given() }
  static var old: Image? { given() }
  static var new: Image { given() }
  static var drawn: Int {
    get { given() }
    set {}
  }
  static var capacity: Int { given() }
  static var large: ImageRequest { given() }
  static var small: ImageRequest { given() }
  static var options: SlotOptions {
    get { given() }
    set {}
  }
  static func wiped(_ old: Bitmap?, _ new: Bitmap, column: Int) throws -> Bitmap { given() }
}
enum GivenInCalotypeDisplay {
  struct Photo { var large: URL { given() }; var small: URL { given() } }
  enum ButtonState { case normal, highlighted }
  static var photo: Photo { given() }
  static var variants: ImageVariants { given() }
  static var brighter: ImageRequest { given() }
  static var clock: ContinuousClock { given() }
  static var start: ContinuousClock.Instant { given() }
  static var options: SlotOptions {
    get { given() }
    set {}
  }
  static func wiped(_ old: Bitmap?, _ new: Bitmap, column: Int) throws -> Bitmap { given() }
  static func show<Frames: AsyncSequence>(_ frames: Frames) async throws {}
  static func show(_ bitmap: Bitmap) {}
}

enum GivenInCalotypeCaching {
  static var cache: MemoryCache<Image> { given() }
  static var cost: Int { given() }
  static var plain: CacheKey { given() }
  static var memory: any DataCaching { given() }
  static var delivered: DiskCache { given() }
  static var body: Data { given() }
  static var response: StoredResponse { given() }
  static var coordinator: any FlightCoordinating { given() }
  final class Texture: Sendable {}
  static func load() async throws -> CacheRecord { given() }
}

enum GivenInCalotypeTiers {
  static var bucket: Bucket { given() }
  static var redis: RedisClient { given() }
  static var storage: BucketPurgeStore { given() }
}

enum GivenInCalotypeURLs {
  static var configuration: ImgproxyDialect.Configuration { given() }
  static var key: String { given() }
  static var salt: String { given() }
  static var target: String { given() }
  static var source: String { given() }
  static var now: Int64 { given() }
  static var dialect: ImgproxyDialect { given() }
}
enum GivenInInfoDialect {
  static var configuration: ImgproxyDialect.Configuration { given() }
  static var options: InfoOptions { given() }
}
enum GivenInURLSignature { static var key: [UInt8] { given() }; static var salt: [UInt8] { given() } }

enum GivenInSealedBodies { static var key: SymmetricKey { given() } }

enum GivenInImagePipeline_Nodes {
  static var bucket: BucketCache { given() }; static var redis: RedisCoordinator { given() };
  static var log: PurgeLog { given() }
}
enum GivenInImagePipeline_Memory {
  static var thumbnails: ImagePipeline.Configuration {
    get { given() }
    set {}
  }
  static var originals: ImagePipeline.Configuration {
    get { given() }
    set {}
  }
}
enum GivenInImagePipeline_Work { static var document: Data { given() } }
enum GivenInImagePipeline_Cache {
  static var queue: [ImageRequest] {
    get { given() }
    set {}
  }
}
enum GivenInImageLoad_Events { static var load: ImageLoad { given() } }
enum GivenInImageCache_Encoding {
  static var configuration: ImageCache.Configuration {
    get { given() }
    set {}
  }
}
enum GivenInImageRequest_Hooks { struct NotPublic: Error {} }

enum GivenInCalotypeTestKit {
  struct LostUpdate: Error {}
  actor Counter {
    var value: Int { given() }
    func increment() async {}
  }
  static var users: [String] { given() }
  static var picture: Data { given() }
  static var loader: FakeLoader { given() }
  static var server: ScriptedHTTPServer { given() }
  static var gate: Gate { given() }
  static var other: URL { given() }
  static var firstHalf: Data { given() }
  static var secondHalf: Data { given() }
  static var configuration: DiskCache.Configuration { given() }
  @Sendable static func work() async {}
  @Sendable static func body() async throws {}
  static func render(_ headers: HTTPFields) throws -> Data { given() }
  static func retrying<Value>(clock: any Clock<Duration>, _ body: () async throws -> Value) async throws
    -> Value
  { given() }
}
