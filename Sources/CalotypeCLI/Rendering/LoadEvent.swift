import Calotype

/// An event during the production of one file.
enum LoadEvent {
  /// The response with an image or its bytes.
  struct Response {
    let from: ImageResponse.Source
    let bytes: Int?
    let duration: Duration
    var timings = ImageResponse.Timings()

    init(_ response: ImageResponse) {
      from = response.source
      bytes = response.byteCount
      duration = response.duration
      timings = response.timings
    }

    init(_ image: EncodedImage, duration: Duration) {
      from = image.source
      bytes = image.data.count
      self.duration = duration
    }

    init(_ response: DataResponse, duration: Duration) {
      from = response.source
      bytes = response.data.count
      self.duration = duration
    }
  }

  case queued
  case started
  case progress(LoadProgress)
  case preview(PixelSize)
  case stale(Response)
  case response(Response)
  case notModified
  case refreshFailed(any Error)
  case failed(any Error)

  init(_ event: ImageLoad.Event) {
    self =
      switch event {
      case .queued: .queued
      case .started: .started
      case .progress(let progress): .progress(progress)
      case .preview(let image): .preview(image.bitmap.size)
      case .response(let response) where response.isBeingRevalidated: .stale(Response(response))
      case .response(let response): .response(Response(response))
      case .confirmed: .notModified
      case .refreshFailed(let error): .refreshFailed(error)
      }
  }
}
