import MiniORM
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file that distinguishes the folder of a store from an empty mount point, and from another disk
/// that is mounted in its place.
final class FolderMark: Sendable {
  /// An object has no dot in its name.
  static let name = ".miniorm-store"

  private let folder: String
  /// The contents that the file had first; nil until then.
  private let known: Mutex<[UInt8]?>

  init(_ folder: String) {
    self.folder = folder
    known = Mutex(Self.read(folder))
  }

  var isKnown: Bool { known.withLock { $0 != nil } }

  /// - Parameter creates: True to create a missing file, for the first object of a store.
  /// - Throws: ``DatabaseError`` if the folder, or its file of earlier calls, is missing.
  func check(creates: Bool) throws(DatabaseError) {
    let found = Self.read(folder)
    if creates, found == nil, !isKnown {
      let mark = (0..<2).map { _ in UInt64.random(in: .min ... .max).digits(16) }.joined()
      let path = "\(folder)/\(Self.name)"
      let reason = DatabaseFile.create(
        path, with: Array(mark.utf8), isReplacing: false, permissions: 0o600)
      // Another program may have created the file.
      if let reason, !DatabaseFile.exists(path) {
        throw FolderStore.failure(
          "\(path) could not be written: \(reason). Check the folder's permissions and free space")
      }
      return try check(creates: false)
    }
    let isSame = known.withLock { known in
      if known == nil { known = found }
      return known == found
    }
    guard isSame, found != nil || DatabaseFile.isDirectory(folder) else {
      throw FolderStore.failure(
        "\(folder) is not the folder that it was: its file \(Self.name) is missing or differs. Check that the disk of the store is mounted. If the folder was emptied, start the backup again"
      )
    }
  }

  private static func read(_ folder: String) -> [UInt8]? {
    FileManager.default.contents(atPath: "\(folder)/\(name)").map { Array($0) }
  }
}
