/// libFuzzer's door to `PasskeyProperties.authenticatorData`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var isAccepted = false
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    if let fault = PasskeyProperties.authenticatorData(bytes, isAccepted: &isAccepted) {
        fatalError(fault)
    }
    return 0
}
