/// libFuzzer's door to `FrameProperties`: the first byte says whether a request or an answer follows.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var isAccepted = false
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    let payload = Array(bytes.dropFirst())
    let fault =
        first & 1 == 0
        ? FrameProperties.request(payload, isAccepted: &isAccepted)
        : FrameProperties.answer(payload, isAccepted: &isAccepted)
    if let fault { fatalError(fault) }
    return 0
}
