/// libFuzzer's door to `FormatProperties.rollbackRecord`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var isAccepted = false
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    if let fault = FormatProperties.rollbackRecord(bytes, isAccepted: &isAccepted) {
        fatalError(fault)
    }
    return 0
}
