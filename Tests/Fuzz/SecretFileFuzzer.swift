/// libFuzzer's door to `SecretFileProperties`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    if let fault = SecretFileProperties.file(bytes) { fatalError(fault) }
    return 0
}
