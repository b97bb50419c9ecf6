/// Tells one transfer of a loop from every other, also from later ones on the same slot.
struct TransferID: Hashable, Sendable {
    let number: Int
}
