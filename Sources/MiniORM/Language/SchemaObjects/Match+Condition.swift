extension Match {
  /// Returns the condition that a row of an index matches.
  ///
  /// A trigram index contains no word of fewer than three characters. The text of each row is
  /// compared with such a word.
  /// - Parameters:
  ///   - index: The left side of MATCH.
  ///   - columns: The columns of the index.
  func condition(_ index: SQL, _ columns: [SQL], _ tokenizer: FullTextTokenizer?) -> SQL {
    guard let tokenizer, tokenizer.isTrigram, words.contains(where: Self.isShort) else {
      return index.appending(SQL(raw: " MATCH "), SQL(binding: text))
    }
    let long = words.filter { !Self.isShort($0) }
    let rest = Match(long, prefix: prefix && words.last.map { !Self.isShort($0) } ?? false)
    let conditions = words.filter(Self.isShort).map { word in
      let sought = SQL(binding: word)
      return SQL(raw: "(").appending(
        SQL.joined(
          columns.map { column in
            let parts =
              tokenizer.isCaseSensitive
              ? [column, sought] : [.call("lower", [column]), .call("lower", [sought])]
            return SQL.call("instr", parts)
          }, separator: " OR "), SQL(raw: ")"))
    }
    let others = long.isEmpty ? [] : [rest.condition(index, columns, nil)]
    return SQL.joined(others + conditions, separator: " AND ")
  }

  /// False if the condition has no MATCH, so that FTS5 gives no rank.
  func isRanked(_ tokenizer: FullTextTokenizer?) -> Bool {
    guard let tokenizer, tokenizer.isTrigram, !words.isEmpty else { return true }
    return !words.allSatisfy(Self.isShort)
  }

  private static func isShort(_ word: String) -> Bool { 1...2 ~= word.unicodeScalars.count }
}
