public import CPrefetch

extension Span where Element: BitwiseCopyable {
    /// Asks memory for an element that will be read soon, and does not wait for it.
    @inlinable @inline(__always)
    public func prefetch(_ index: Int) { prefetch(index..<index + 1) }

    /// Asks memory for elements that will be read soon, and does not wait for them.
    ///
    /// - Parameter range: of indexes; what lies outside the span is asked for in vain.
    @inlinable @inline(__always)
    public func prefetch(_ range: Range<Int>) {
        unsafe withUnsafeBufferPointer { elements in
            guard let start = elements.baseAddress else { return }
            unsafe coterie_prefetch(start + range.lowerBound, range.count * MemoryLayout<Element>.stride)
        }
    }
}

extension MutableSpan where Element: BitwiseCopyable {
    /// Asks memory for an element that will be read soon, and does not wait for it.
    @inlinable @inline(__always)
    public func prefetch(_ index: Int) { span.prefetch(index) }
}
