import Testing

/// Small exports as each program writes them, with the same word in every secret to find leaks.
enum ExporterShapes {
    static let marker = "Geheim"

    static let keePassXC = #"""
        "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"
        "Root/Mail","Example ""Mail""","alice","Geheim,1","https://mail.example.org/","first line Geheim
        second ""line"" Geheim","otpauth://totp/x?secret=Geheim","0","2026-01-02T03:04:05Z","2025-01-02T03:04:05Z"
        "Root","Router","","Geheim2","","","","19","2026-01-02T03:04:05Z","2025-01-02T03:04:05Z"

        """#
    static let bitwarden = #"""
        folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
        Work,1,login,Example,,"pin: Geheim1
        hint: Geheim2",0,"https://example.org,https://example.com",bob,Geheim3,GEHEIM
        ,,note,Safe combination,Geheim 4,,1,,,,

        """#
    static let chromium = #"""
        name,url,username,password,note
        example.org,https://example.org/login,carol,"Geheim""1""",
        ,https://user@shop.example.org:8443/cart?x=1,dave,Geheim2,Geheim 3
        android,android://hash@com.example.app/,erin,Geheim3,

        """#
    static let firefox = #"""
        "url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged"
        "https://example.org","frank","Geheim1",,"https://example.org","{0a1b}","1700000000000","1700000000001","1700000000002"
        "http://router.example","admin","Geheim2","Router admin",,"{2c3d}","1700000000000","1700000000001","1700000000002"

        """#
    static let safari = #"""
        Title,URL,Username,Password,Notes,OTPAuth
        example.org (grace),https://example.org/,grace,Geheim1,Geheim note,otpauth://totp/y?secret=GEHEIM
        example.net,https://example.net/,heidi,Geheim2,,

        """#
    static let taskVaultCSV = #"""
        "service","account","field","label","class","created","modified","value","value_encoding","extra"
        "example.org","alice","password","","while-unlocked","2026-03-01T09:05:00.120Z","2026-03-01T09:05:00.120Z","Geheim","text","[]"
        "task","1","notes","Buy milk","after-verification","2026-03-01T09:05:00.120Z","2026-03-02T00:00:00.000Z","R2VoZWltAA==","base64","[{""key"":""url"",""text"":""https://example.org""}]"

        """#
    static let taskVaultJSON = #"""
        {"format":"taskvault-export","version":1,"items":[
        {"service":"example.org","account":"alice","field":"password","label":"","class":"while-unlocked","created":"2026-03-01T09:05:00.120Z","modified":"2026-03-01T09:05:00.120Z","extra":[],"value_base64":"R2VoZWlt"},
        {"service":"task","account":"1","field":"notes","label":"Buy \"milk\"","class":"after-verification","created":"2026-03-01T09:05:00.120Z","modified":"2026-03-02T00:00:00.000Z","extra":[{"key":"url","text":"https://example.org"}],"value_base64":"R2VoZWltAA=="}
        ]}

        """#
    static let all = [
        ExporterShape(name: "KeePassXC", text: keePassXC),
        ExporterShape(name: "Bitwarden", text: bitwarden),
        ExporterShape(name: "Chromium", text: chromium),
        ExporterShape(name: "Firefox", text: firefox),
        ExporterShape(name: "Safari", text: safari),
        ExporterShape(name: "TaskVault CSV", text: taskVaultCSV),
        ExporterShape(name: "TaskVault JSON", text: taskVaultJSON),
    ]
}

/// An export with a name for the log.
struct ExporterShape: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String

    var testDescription: String { name }
}
