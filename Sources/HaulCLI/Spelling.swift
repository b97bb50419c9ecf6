/// Guesses what a mistyped word was meant to be.
enum Spelling {
    /// The word that is nearest to a mistyped one.
    ///
    /// - Returns: nil when none is near: a third of the letters may differ, or the word may be a beginning.
    static func closest(to word: some StringProtocol, among candidates: [String]) -> String? {
        // Nothing is near to a word that is far longer than all, and telling so would take a table of its length.
        guard word.count > 1, word.count <= longest else { return nil }
        let beginnings = candidates.filter { $0.hasPrefix(word) }
        if let only = beginnings.first, beginnings.count == 1 { return only }
        let ranked = candidates.map { (name: $0, distance: distance(Array(word), Array($0))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.name.count / 3) ? best.name : nil
    }

    /// Longest word that is looked up: more than any option or value has.
    private static let longest = 64

    /// Letters to insert, delete, replace or swap with their neighbour (optimal string alignment).
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var rows = [Array(0...second.count)]
        for (row, letter) in first.enumerated() {
            var line = [row + 1]
            for (column, other) in second.enumerated() {
                let same = letter == other ? 0 : 1
                var best = min(line[column] + 1, rows[row][column + 1] + 1, rows[row][column] + same)
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                line.append(best)
            }
            rows.append(line)
        }
        return rows[first.count][second.count]
    }
}
