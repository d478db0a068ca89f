/// What files have to survive once they are written.
enum Durability {
    /// A loss of power: published versions exist nowhere else.
    case powerLoss
    /// The end of the process: what can be fetched again, and is compared with its checksums before it is used, need
    /// not wait for the disk.
    case processEnd
}
