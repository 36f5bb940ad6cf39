/// libFuzzer's door to `RequestProperties`: the first byte says as what the rest is read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    let content = Array(bytes.dropFirst())
    let fault =
        switch first % 3 {
        case 0: RequestProperties.form(content)
        case 1: RequestProperties.members(content)
        default: RequestProperties.text(content)
        }
    if let fault { fatalError(fault) }
    return 0
}
