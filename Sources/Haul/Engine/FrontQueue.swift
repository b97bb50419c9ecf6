/// A queue in an array whose front is taken out without moving all others each time.
struct FrontQueue<Element> {
    private var elements: [Element] = []
    /// Elements before this index were taken.
    private var taken = 0

    /// Elements that have not been taken.
    var count: Int { elements.count - taken }

    /// Whether all have been taken.
    var isEmpty: Bool { count == 0 }

    /// The next one.
    var first: Element? { isEmpty ? nil : elements[taken] }

    /// Takes out the next one.
    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        taken += 1
        if taken * 2 > elements.count {
            elements.removeFirst(taken)
            taken = 0
        }
        return element
    }

    /// Adds an element behind all others.
    mutating func append(_ element: Element) { elements.append(element) }

    /// Adds an element where it belongs: behind all that come before it, if the others are in that order.
    ///
    /// - Parameters:
    ///   - element: to be added.
    ///   - comesBefore: whether the first is to be taken before the second.
    mutating func insert(_ element: Element, by comesBefore: (Element, Element) -> Bool) {
        var (low, high) = (taken, elements.count)
        while low < high {
            let middle = (low + high) / 2
            if comesBefore(elements[middle], element) { low = middle + 1 } else { high = middle }
        }
        elements.insert(element, at: low)
    }

    /// Takes out those that something is true of, and returns them.
    mutating func remove(where isMeant: (Element) -> Bool) -> [Element] {
        let removed = elements[taken...].filter(isMeant)
        guard !removed.isEmpty else { return [] }
        elements = elements[taken...].filter { !isMeant($0) }
        taken = 0
        return removed
    }
}

extension FrontQueue: Sendable where Element: Sendable {}
