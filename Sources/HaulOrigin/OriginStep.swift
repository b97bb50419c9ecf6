/// One thing that an origin does while it answers.
package enum OriginStep: Hashable, Sendable {
    /// Sends a status line and fields, and the empty line after them.
    case head(OriginHead)
    /// Sends bytes of the head or of the framing as they are.
    case raw([UInt8])
    /// Sends `raw` again and again until the client leaves.
    case endless([UInt8])
    /// Sends bytes of the body that are no content, such as a page.
    case body([UInt8])
    /// Sends the content's bytes in a range; in one byte, if any, a bit is wrong.
    case content(OriginContent, Range<Int64>, flipped: Int64?)
    /// Sends the content's bytes in a range as chunks of at most `size` bytes, without the last chunk.
    case chunks(OriginContent, Range<Int64>, flipped: Int64?, size: Int)
    /// Sends one byte of the body again and again.
    case filler(UInt8, count: Int64)
    /// Waits.
    case pause(Duration)
    /// Holds the connection open, silent, until the client leaves.
    case stall
    /// Breaks the connection with a reset, after what was sent has arrived.
    case reset
    /// Closes the connection in order.
    case close
}
