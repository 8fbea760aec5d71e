public import MiniORM

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A folder that stores backups, for example on another disk or a file server.
///
/// ```swift
/// let store = try FolderStore("/mnt/backup/app")
/// ```
/// An object is a file. The file gets its name when its bytes are on the disk, so a file with a
/// name is complete, even after a power loss.
///
/// The first object also creates the file `.miniorm-store`. If this file disappears or changes, for
/// example because the disk is no longer mounted, each method throws. No method creates the folder
/// again.
public struct FolderStore: BackupStore {
  /// The path of the folder.
  public let path: String
  private let mark: FolderMark

  /// Opens a folder, and creates the folder if it is missing.
  /// - Parameters:
  ///   - path: The path of the folder.
  ///   - creates: False if the store exists already: an empty folder, such as a mount point without
  ///     its disk, is then an error. True by default.
  /// - Throws: ``DatabaseError`` if the folder cannot be created, or is not a store.
  public init(_ path: String, creates: Bool = true) throws(DatabaseError) {
    self.path = path
    if creates { try Self.createFolder(path) }
    mark = FolderMark(path)
    guard creates || mark.isKnown else {
      throw DatabaseError(
        .copy, code: .cannotOpen,
        "\(path) is not the folder of a store, because it has no file \(FolderMark.name): check the path, and that the disk of the store is mounted"
      )
    }
  }

  /// Stores an object, and waits until the file and its folder are on the disk.
  /// - Parameters:
  ///   - name: The name of the object.
  ///   - bytes: The contents.
  /// - Throws: ``DatabaseError`` if the name is invalid, or the file cannot be written.
  public func put(_ name: String, _ bytes: [UInt8]) throws(DatabaseError) {
    _ = try store(name, bytes, isReplacing: true)
  }

  /// Stores an object, unless there is an object of the same name. Of several callers at once, in all
  /// processes, only one receives true.
  /// - Parameters:
  ///   - name: The name of the object.
  ///   - bytes: The contents.
  /// - Returns: False if there is such an object.
  /// - Throws: ``DatabaseError`` if the name is invalid, or the file cannot be written.
  public func create(_ name: String, _ bytes: [UInt8]) throws(DatabaseError) -> Bool {
    try store(name, bytes, isReplacing: false)
  }

  private func store(
    _ name: String, _ bytes: [UInt8], isReplacing: Bool
  ) throws(DatabaseError) -> Bool {
    let file = try file(name)
    try mark.check(creates: true)
    try Self.createFolder(DatabaseFile.parent(file), below: path)
    guard isReplacing || !DatabaseFile.exists(file) else { return false }
    guard
      let reason = DatabaseFile.create(
        file, with: bytes, isReplacing: isReplacing, permissions: 0o600)
    else { return true }
    guard isReplacing || !DatabaseFile.exists(file) else { return false }
    throw Self.failure(
      "\(file) could not be written: \(reason). Check the folder's permissions and free space")
  }

  /// Reads an object.
  /// - Parameter name: The name of the object.
  /// - Returns: The contents; nil if there is no such object.
  /// - Throws: ``DatabaseError`` if the name is invalid, or the file cannot be read, or has more than
  ///   one mebibyte.
  public func get(_ name: String) throws(DatabaseError) -> [UInt8]? {
    let file = try file(name)
    try mark.check(creates: false)
    guard DatabaseFile.exists(file) else { return nil }
    if let size = try? FileBytes(file).size, size > BackupObject.maximumSize {
      throw BackupCatalog.damaged("\(file) has \(size) bytes, more than an object of a backup")
    }
    do {
      return Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    } catch {
      // A file that another program has deleted since is missing.
      guard DatabaseFile.exists(file) else { return nil }
      throw Self.failure("\(file) could not be read: \(error). Check its permissions and the disk")
    }
  }

  /// Returns the names of the objects that start with a prefix, in byte order.
  ///
  /// Files with other names, such as the temporary files of a killed program, and links to folders are
  /// left out.
  /// - Parameter prefix: The start of the names.
  /// - Returns: The names.
  /// - Throws: ``DatabaseError`` if a folder cannot be read.
  /// - Complexity: O(*n* log *n*) in the number of files below the folder of the prefix.
  public func list(_ prefix: String) throws(DatabaseError) -> [String] {
    try mark.check(creates: false)
    // The prefix may end inside a name.
    let folder = prefix.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(prefix[..<$0]) } ?? ""
    guard folder.isEmpty || Self.isName(folder) else { return [] }
    var names: [String] = []
    var folders = [folder]
    while let folder = folders.popLast() {
      let whole = folder.isEmpty ? path : "\(path)/\(folder)"
      let entries: [String]
      do {
        entries = try FileManager.default.contentsOfDirectory(atPath: whole)
      } catch {
        guard DatabaseFile.exists(whole) || folder.isEmpty else { continue }
        throw Self.failure(
          "\(whole) could not be read: \(error). Check its permissions and the disk")
      }
      for entry in entries {
        let name = folder.isEmpty ? entry : "\(folder)/\(entry)"
        guard Self.isName(name) else { continue }
        if DatabaseFile.isDirectory("\(path)/\(name)") {
          // A link can lead to a folder above it.
          let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(path)/\(name)")
          if link == nil { folders.append(name) }
        } else if name.utf8.starts(with: prefix.utf8) {
          names.append(name)
        }
      }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Deletes an object; does nothing if there is no such object.
  /// - Parameter name: The name of the object.
  /// - Throws: ``DatabaseError`` if the name is invalid, or the file cannot be deleted.
  public func delete(_ name: String) throws(DatabaseError) {
    let file = try file(name)
    try mark.check(creates: false)
    guard DatabaseFile.exists(file) else { return }
    do {
      try DatabaseFile.remove(file)
    } catch {
      guard DatabaseFile.exists(file) else { return }
      throw Self.failure(
        "\(file) could not be deleted: \(error). Check the permissions of its folder")
    }
  }

  // MARK: Names

  private func file(_ name: String) throws(DatabaseError) -> String {
    guard Self.isName(name) else {
      throw DatabaseError(
        .copy, code: .misuse,
        "\(name) is not the name of an object: use lowercase letters, digits and hyphens, separated by slashes"
      )
    }
    return "\(path)/\(name)"
  }

  /// Names without dots cannot leave the folder.
  private static func isName(_ name: String) -> Bool {
    name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty
        && $0.allSatisfy {
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
        }
    }
  }

  /// - Parameter root: A folder that is not created.
  private static func createFolder(
    _ path: String, below root: String? = nil
  ) throws(DatabaseError) {
    guard path != root, !DatabaseFile.isDirectory(path) else { return }
    let parent = DatabaseFile.parent(path)
    if parent != path { try createFolder(parent, below: root) }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      // Another program may have created the folder.
      guard DatabaseFile.isDirectory(path) else {
        throw failure(
          "The folder \(path) could not be created: \(error). Check the path and its permissions")
      }
    }
    if let reason = DatabaseFile.synchronizeFolder(parent) {
      throw failure("\(parent) could not be written to the disk: \(reason). Check the disk")
    }
  }

  static func failure(_ message: String) -> DatabaseError {
    DatabaseError(.copy, code: .inputOutput, message)
  }
}
