import Synchronization

/// The current keys of a file, which is read again when it has changed.
///
/// If the file becomes unreadable or invalid, the keys read before stay in use.
public final class KeyRing: Sendable {
    private struct State {
        var keys: KeySet
        var stamp: KeyFile.Stamp
        var generation = 0
        /// The stamp of a file that could not be used, so that the error is thrown only once.
        var refused: KeyFile.Stamp?
    }

    private let file: KeyFile
    private let state: Mutex<State>

    /// Reads the keys of a file.
    public init(_ file: KeyFile) throws(TokenError) {
        self.file = file
        let (keys, stamp) = try file.readWithStamp()
        state = Mutex(State(keys: keys, stamp: stamp))
    }

    /// The keys, and a number that increases whenever they change.
    public var current: (keys: KeySet, generation: Int) {
        state.withLock { ($0.keys, $0.generation) }
    }

    /// Reads the file again if it has changed.
    ///
    /// - Parameter isForced: whether it is read in any case, also one that could not be used before.
    /// - Returns: whether the keys were replaced.
    /// - Throws: once for each change of the file after which it cannot be used.
    public func refresh(isForced: Bool = false) throws(TokenError) -> Bool {
        let stamp = file.stamp()
        let isKnown = state.withLock { stamp == $0.stamp || (stamp != nil && stamp == $0.refused) }
        // A missing file may be one that is just being replaced.
        guard isForced || (!isKnown && stamp != nil) else { return false }
        do throws(TokenError) {
            let (keys, stamp) = try file.readWithStamp()
            return state.withLock { state in
                let hasChanged = keys != state.keys
                state = State(keys: keys, stamp: stamp, generation: state.generation + (hasChanged ? 1 : 0))
                return hasChanged
            }
        } catch {
            state.withLock { $0.refused = stamp }
            throw error
        }
    }
}
