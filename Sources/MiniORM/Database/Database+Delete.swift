extension Database {
  /// Deletes the files of a closed database: the file itself, its write-ahead log and its journal.
  ///
  /// A file that is open is refused, even under another path: what is written to a deleted file would be lost without an
  /// error. Another process that has the file open is noticed if the file has a write-ahead log, or while that process
  /// reads or writes. If the path is a symbolic link, the link is deleted last.
  ///
  /// - Parameter path: The path of the database. A URL such as `file:…` is refused: give `url.path`.
  /// - Throws: ``DatabaseError`` with the operation `delete`: with the code `busy` while a ``Database`` of this process
  ///   has the file open or attached, or another process uses it; `readOnly` when this process may not write to the file,
  ///   so that it cannot lock it; and when one of the files cannot be deleted, in which case those before it are gone.
  ///   Files that do not exist are ignored.
  public static func delete(path: String) throws(DatabaseError) {
    guard DatabaseFile.isFile(path) else { return }
    guard !path.utf8.contains(0), !path.utf8.starts(with: "file:".utf8) else {
      throw DatabaseError(
        .delete, code: .misuse,
        "\(path) is not the path of a file. A URL has one: give url.path", path: path)
    }
    guard !DatabaseFile.isDirectory(path) else {
      throw DatabaseError(.delete, code: .cannotOpen, "\(path) is a folder", path: path)
    }
    let deleted: Void? = try OpenFile.ifClosed(path) { () throws(DatabaseError) in
      // SQLite names what it keeps beside a file for the file itself, and not for a link to it.
      let file = DatabaseFile.resolved(path)
      let exclusive =
        DatabaseFile.isRegular(file) ? try ExclusiveFile(file, waiting: 0, .delete) : nil
      // The lock is kept until all of them are gone.
      defer { withExtendedLifetime(exclusive) {} }
      // The log first: a file without its log is an older state, a log without its file is nothing.
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
