extension Database {
  /// Deletes the files of a closed database: the database file, its write-ahead log and its
  /// journal.
  ///
  /// An open file is not deleted, even under another path: later writes to a deleted file would be
  /// lost without an error. An open file in another process is detected in WAL mode, or while that
  /// process reads or writes. If the path is a symbolic link, the link is deleted last.
  ///
  /// - Parameter path: The path of the database. For a URL such as `file:…`, pass `url.path`.
  /// - Throws: ``DatabaseError`` with the operation `delete`. The code is `busy` while a
  ///   ``Database`` of this process has the file open or attached, or another process uses the
  ///   file. The code is `readOnly` if this process may not write to the file, and so cannot lock
  ///   the file. If a file cannot be deleted, the files before it are already deleted. Missing
  ///   files are ignored.
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
      // SQLite derives the names of the -wal and -journal files from a link's target.
      let file = DatabaseFile.resolved(path)
      let exclusive =
        DatabaseFile.isRegular(file) ? try ExclusiveFile(file, waiting: 0, .delete) : nil
      // Hold the lock until all files are deleted.
      defer { withExtendedLifetime(exclusive) {} }
      // The log first: a file without its log is an older state, but a log without its file is
      // unused.
      for file in DatabaseFile.all(file).reversed() + (file == path ? [] : [path])
      where DatabaseFile.exists(file) || DatabaseFile.isLink(file) {
        do {
          try DatabaseFile.remove(file)
        } catch {
          throw DatabaseError(
            .delete, code: .inputOutput, "\(file) could not be deleted: \(error)", path: path)
        }
      }
    }
    guard deleted != nil else {
      throw DatabaseError(
        .delete, code: .busy, "The file is open in this process: close it first", path: path)
    }
  }
}
