/// libFuzzer's door to `TaskFileProperties`: a file of this format.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    if let fault = TaskFileProperties.file(bytes, as: .taskwarrior) { fatalError(fault) }
    return 0
}
