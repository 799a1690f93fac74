import Calotype
import FoundationEssentials

/// An example of a program on Calotype that is to be tested: the pictures of its users.
struct AvatarService {
  private let pipeline: ImagePipeline
  private let folder: URL

  init(_ pipeline: ImagePipeline, folder: URL) {
    self.pipeline = pipeline
    self.folder = folder
  }

  func url(of user: String) -> URL { folder.appending(path: user) }

  /// The picture of a user in 64×64 pixels; `nil` for users without one.
  func avatar(of user: String) async throws -> Image? {
    do {
      return try await pipeline.image(
        for: ImageRequest(url: url(of: user), thumbnail: .fill(width: 64, height: 64)))
    } catch LoadingError.httpStatus(_, status: 404, _, _) {
      return nil
    }
  }

  /// The pictures of those users who have one.
  func avatars(of users: [String]) async throws -> [String: Image] {
    try await withThrowingTaskGroup(of: (String, Image?).self) { group in
      for user in users { group.addTask { (user, try await avatar(of: user)) } }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }
}
