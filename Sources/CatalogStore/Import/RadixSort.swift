/// Sorts keys ascending and stably, moving a payload along; `payload` is empty or as long as `keys`.
///
/// Least significant digit first, 11 bits at a time; digits that all keys share are passed over.
///
/// - Complexity: O(keys) time, as much memory again.
func radixSort(_ keys: inout [UInt64], payload: inout [Int64]) {
    let bits = 11
    let size = 1 << bits
    let hasPayload = !payload.isEmpty
    var varying: UInt64 = 0
    for key in keys { varying |= key ^ keys[0] }
    var otherKeys = [UInt64](repeating: 0, count: keys.count)
    var otherPayload = [Int64](repeating: 0, count: payload.count)
    for shift in stride(from: 0, to: 64, by: bits) where (varying >> UInt64(shift)) & UInt64(size - 1) != 0 {
        var starts = [Int](repeating: 0, count: size)
        for key in keys { starts[Int(truncatingIfNeeded: key >> UInt64(shift)) & (size - 1)] += 1 }
        var sum = 0
        for digit in 0..<size { (starts[digit], sum) = (sum, sum + starts[digit]) }
        for index in keys.indices {
            let digit = Int(truncatingIfNeeded: keys[index] >> UInt64(shift)) & (size - 1)
            otherKeys[starts[digit]] = keys[index]
            if hasPayload { otherPayload[starts[digit]] = payload[index] }
            starts[digit] += 1
        }
        swap(&keys, &otherKeys)
        swap(&payload, &otherPayload)
    }
}
