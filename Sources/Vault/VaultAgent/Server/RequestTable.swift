internal import Platform
internal import SecretMemory

/// The requests that the agent serves after the hello.
enum RequestTable {
    /// All types of requests.
    static let all: [any ServerRequest.Type] = [
        StatusRequest.self, UnlockRequest.self, VerifyRequest.self, LockRequest.self,
        SettingsRequest.self, ChangeSettingRequest.self, NoticesRequest.self,
        VerifyByFingerRequest.self, GenerationRequest.self, ReaderRequest.self,
        SlotsRequest.self, AddKeyRequest.self, RenameKeyRequest.self, RemoveSlotRequest.self,
        BeginPasskeyRequest.self, RegisterPasskeyRequest.self, UnlockByPasskeyRequest.self,
        VerifyByPasskeyRequest.self, AddPasskeyRequest.self,
        ReadRequest.self, SaveRequest.self, UpdateRequest.self, EditRequest.self,
        RemoveRequest.self, ListRequest.self, DescribeRequest.self, SaveAllRequest.self,
        HistoryRequest.self, RemovedRequest.self, RestoreRequest.self,
        RestoreRemovedRequest.self, FindRequest.self, ChangeRequest.self,
        ListFilesRequest.self, EarlierFilesRequest.self, BeginFileRequest.self,
        AppendToFileRequest.self, FinishFileRequest.self, ReadFileRequest.self,
        NextChunkRequest.self, EditFileRequest.self, RemoveFileRequest.self,
        RestoreFileRequest.self, FileSettingsRequest.self, ChangeFileSettingsRequest.self,
    ]

    private static let types = Dictionary(uniqueKeysWithValues: all.map { ($0.messageType, $0) })

    /// The type of request with this number.
    static func type(_ number: UInt8) -> (any ServerRequest.Type)? { types[number] }
}
