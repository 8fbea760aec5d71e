extension Database {
  /// Deletes the files of a closed database: the database file, its write-ahead log and its
  /// journal.
  ///
  /// An open file is not deleted, even under another path, because later writes would be lost
  /// without an error. A file open in another process is detected in WAL mode, or while that
  /// process reads or writes. If the path is a symbolic link, the link is deleted last.
  ///
  /// - Parameter path: The path of the database. For a URL such as `file:…`, pass `url.path`.
  /// - Throws: ``DatabaseError`` with the operation `delete`. The code is `busy` if a ``Database``
  ///   of this process has the file open or attached, or another process uses the file; `readOnly`
  ///   if this process may not write to the file, and therefore cannot lock it. Missing files are
  ///   ignored. If deleting a file fails, earlier files are already deleted.
  public static func delete(path: String) throws(DatabaseError) {
    guard DatabaseFile.isFile(path) else { return }
    guard !path.utf8.contains(0), !path.utf8.starts(with: "file:".utf8) else {
      throw DatabaseError(
        .delete, code: .misuse,
        "\(path) is not a file path: for a URL, give url.path", path: path)
    }
    guard !DatabaseFile.isDirectory(path) else {
      throw DatabaseError(
        .delete, code: .cannotOpen, "\(path) is a folder: give the path of the database file",
        path: path)
    }
    let deleted: Void? = try OpenFile.ifClosed(path) { () throws(DatabaseError) in
      // SQLite uses the -wal and -journal files beside a link's target.
      let file = DatabaseFile.resolved(path)
      let exclusive =
        DatabaseFile.isRegular(file) ? try ExclusiveFile(file, waiting: 0, .delete) : nil
      // Hold the lock until all files are deleted.
      defer { withExtendedLifetime(exclusive) {} }
      // Delete the log first: without its file, a log is useless, but a file without its log has
      // lost commits.
      for file in DatabaseFile.all(file).reversed() + (file == path ? [] : [path])
      where DatabaseFile.exists(file) || DatabaseFile.isLink(file) {
        do {
          try DatabaseFile.remove(file)
        } catch {
          throw DatabaseError(
            .delete, code: .inputOutput,
            "\(file) could not be deleted: \(error). Remove the cause and try again", path: path)
        }
      }
    }
    guard deleted != nil else {
      throw DatabaseError(
        .delete, code: .busy, "The file is open in this process: close it first", path: path)
    }
  }
}
