/// libFuzzer's door to something that is wrong for one word: the fuzzer has to find it, or it looks at nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    if bytes.count > 3, bytes[0] == 0x6C, bytes[1] == 0x6F, bytes[2] == 0x73, bytes[3] == 0x74 {
        fatalError("the word was found")
    }
    return 0
}
