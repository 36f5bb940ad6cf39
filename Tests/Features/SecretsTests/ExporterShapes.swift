import Testing

/// Small exports as each program writes them, with the same word in every secret to find leaks.
enum ExporterShapes {
    static let marker = "Geheim"

    static let keePassXC = #"""
        "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"
        "Root/Mail","Example ""Mail""","alice","Geheim,1","https://mail.example.org/","first line Geheim
        second ""line"" Geheim","otpauth://totp/x?secret=GEHEIMAA","0","2026-01-02T03:04:05Z","2025-01-02T03:04:05Z"
        "Root","Router","","Geheim2","","","","19","2026-01-02T03:04:05Z","2025-01-02T03:04:05Z"

        """#
    static let bitwarden = #"""
        folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
        Work,1,login,Example,,"pin: Geheim1
        hint: Geheim2",0,"https://example.org,https://example.com",bob,Geheim3,GEHEIMAA
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
    static let onePassword = #"""
        Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes
        Example,https://example.org/,ivan,Geheim1,otpauth://totp/z?secret=GEHEIMAA,true,false,work;my mail,Geheim note
        Note,,,,,false,true,,Geheim2

        """#
    static let bitwardenJSON = #"""
        {
          "encrypted": false,
          "folders": [
            {"id": "f1", "name": "Work/My Mail"}
          ],
          "items": [
            {
              "passwordHistory": [{"lastUsedDate": "2025-01-02T03:04:05.000Z", "password": "Geheim0"}],
              "revisionDate": "2026-01-02T03:04:05.000Z",
              "creationDate": "2025-01-02T03:04:05.000Z",
              "deletedDate": null,
              "id": "i1", "organizationId": null, "folderId": "f1",
              "type": 1, "reprompt": 1, "name": "Example", "notes": "Geheim\nnote", "favorite": true,
              "fields": [
                {"name": "pin code", "value": "Geheim1", "type": 1, "linkedId": null},
                {"name": "notes", "value": "Geheim2", "type": 0, "linkedId": null},
                {"name": "same", "value": null, "type": 3, "linkedId": 100}
              ],
              "login": {
                "fido2Credentials": [{"credentialId": "c"}],
                "uris": [{"match": null, "uri": "https://example.org"}, {"match": 1, "uri": "https://example.com"}],
                "username": "judy", "password": "Geheim\u00273", "totp": "GEHEIMAA"
              },
              "collectionIds": null
            },
            {
              "id": "i2", "folderId": null, "type": 2, "reprompt": 0, "name": "Safe", "notes": "Geheim4",
              "favorite": false, "secureNote": {"type": 0}, "collectionIds": null, "passwordHistory": null
            },
            {
              "id": "i3", "folderId": null, "type": 3, "reprompt": 0, "name": "Visa", "notes": null, "favorite": false,
              "card": {"cardholderName": "Geheim J", "brand": "Geheim Visa", "number": "Geheim 4111", "expMonth": "4", "expYear": "2030", "code": "Geheim123"}
            },
            {
              "id": "i4", "folderId": null, "type": 4, "reprompt": 0, "name": "Me", "notes": null, "favorite": false,
              "identity": {"title": null, "firstName": "Geheim First", "address1": "Geheim Street", "username": "", "passportNumber": "Geheim5"}
            },
            {
              "id": "i5", "type": 5, "reprompt": 0, "name": "Key", "notes": null, "favorite": false,
              "sshKey": {"privateKey": "Geheim-----", "publicKey": "Geheim ssh-ed25519", "keyFingerprint": "Geheim SHA256"}
            }
          ]
        }

        """#
    static let keePassXML = #"""
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <KeePassFile>
          <Meta>
            <Generator>KeePassXC</Generator>
            <RecycleBinUUID>YmluYmluYmluYmluYmluYg==</RecycleBinUUID>
          </Meta>
          <Root>
            <Group>
              <UUID>LqBTVb7IRSeRxjAP+RyWTg==</UUID>
              <Name>Passwords</Name>
              <Notes/>
              <Entry>
                <UUID>5wV4b5j7Q5y9qMk3iV7FVw==</UUID>
                <String><Key>Title</Key><Value>At root</Value></String>
                <String><Key>Password</Key><Value ProtectInMemory="True">Geheim0</Value></String>
              </Entry>
              <Group>
                <UUID>/7l66g4PSnil3nLp14I/aQ==</UUID>
                <Name>Mail</Name>
                <Group>
                  <Name>My Work</Name>
                  <Entry>
                    <UUID>6wV4b5j7Q5y9qMk3iV7FVw==</UUID>
                    <IconID>0</IconID>
                    <Tags>old;two words</Tags>
                    <Times>
                      <LastModificationTime>2026-01-02T03:04:05Z</LastModificationTime>
                      <CreationTime>2025-01-02T03:04:05Z</CreationTime>
                      <ExpiryTime>2026-11-26T14:57:19Z</ExpiryTime>
                      <Expires>False</Expires>
                    </Times>
                    <String><Key>Notes</Key><Value>Geheim
        second &lt;line&gt; &amp; &#x1F600;</Value></String>
                    <String><Key>Password</Key><Value ProtectInMemory="True"><![CDATA[Geheim<&amp;>]]>&quot;1</Value></String>
                    <String><Key>Title</Key><Value>Ex &amp; &lt;q&gt;</Value></String>
                    <String><Key>URL</Key><Value>https://mail.example.org/</Value></String>
                    <String><Key>UserName</Key><Value>kim</Value></String>
                    <String><Key>otp</Key><Value ProtectInMemory="True">otpauth://totp/x?secret=GEHEIMAA&amp;period=30</Value></String>
                    <String><Key>PIN</Key><Value>Geheim2</Value></String>
                    <Binary><Key>a.txt</Key><Value Ref="0"/></Binary>
                    <AutoType><Enabled>True</Enabled><DataTransferObfuscation>0</DataTransferObfuscation><DefaultSequence/></AutoType>
                    <!-- Earlier -->
                    <History><Entry><UUID>6wV4b5j7Q5y9qMk3iV7FVw==</UUID></Entry></History>
                  </Entry>
                </Group>
              </Group>
              <Group>
                <UUID>YmluYmluYmluYmluYmluYg==</UUID>
                <Name>Recycle Bin</Name>
                <Entry>
                  <String><Key>Title</Key><Value>Gone</Value></String>
                  <String><Key>Password</Key><Value>Geheim9</Value></String>
                </Entry>
              </Group>
            </Group>
            <DeletedObjects/>
          </Root>
        </KeePassFile>

        """#
    static let onePUX = #"""
        {"accounts":[{"attrs":{"accountName":"Me","uuid":"A"},"vaults":[{"attrs":{"uuid":"V","desc":"","name":"My Vault","type":"P"},"items":[
        {"uuid":"1","favIndex":1,"createdAt":1614298956,"updatedAt":1635346445,"state":"active","categoryUuid":"001",
         "details":{"loginFields":[
            {"value":"lea","id":"","name":"username","fieldType":"T","designation":"username"},
            {"value":"Geheim1","id":"","name":"password","fieldType":"P","designation":"password"},
            {"value":"Geheim2","id":"x","name":"","fieldType":"T"}],
          "notesPlain":"Geheim note",
          "sections":[{"title":"Security","name":"Section_1","fields":[
            {"title":"PIN","id":"p","value":{"concealed":"Geheim3"},"guarded":false,"inputTraits":{"keyboard":"default"}},
            {"title":"one-time password","id":"TOTP_1","value":{"totp":"otpauth://totp/x?secret=GEHEIMAA"}},
            {"title":"mail","id":"m","value":{"email":{"email_address":"geheim@example.org","provider":null}}},
            {"title":"home","id":"h","value":{"address":{"street":"Geheim 1","city":"Geheim Town","country":"","zip":"","state":""}}},
            {"title":"born","id":"b","value":{"date":631152000}},
            {"title":"scan","id":"s","value":{"file":{"fileName":"a.png","documentId":"d","decryptedSize":1}}}]}],
          "passwordHistory":[{"value":"Geheim0","time":1458322355}]},
         "overview":{"subtitle":"","urls":[{"label":"","url":"https://example.org"},{"label":"","url":"https://example.com"}],"title":"Example","url":"https://example.org","ps":100,"pgrng":true,"tags":["work","my mail"]}},
        {"uuid":"2","favIndex":0,"createdAt":1614298956,"updatedAt":1614298956,"state":"archived","categoryUuid":"002",
         "details":{"loginFields":[],"notesPlain":"","sections":[{"title":"","name":"","fields":[
            {"title":"cardholder name","id":"cardholder","value":{"string":"Geheim L"}},
            {"title":"number","id":"ccnum","value":{"creditCardNumber":"Geheim 4111"}},
            {"title":"verification number","id":"cvv","value":{"concealed":"Geheim 123"}},
            {"title":"expiry date","id":"expiry","value":{"monthYear":203004}}]}],"passwordHistory":[]},
         "overview":{"subtitle":"","title":"Visa","url":"","urls":null,"tags":null}},
        {"uuid":"3","state":"active","categoryUuid":"003","details":{"loginFields":[],"notesPlain":"Geheim4","sections":[]},"overview":{"title":"Safe","url":""}},
        {"item":{"uuid":"4","state":"active","categoryUuid":"114","details":{"loginFields":[],"notesPlain":"","sections":[{"title":"","name":"","fields":[
            {"title":"private key","id":"private_key","value":{"sshKey":{"privateKey":"Geheim5","metadata":{"privateKey":"Geheim5","publicKey":"Geheim6","fingerprint":"Geheim7","keyType":"ed25519"}}}}]}]},"overview":{"title":"Key","url":""}}}
        ]}]}]}

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
    static let lastPass = #"""
        url,username,password,totp,extra,name,grouping,fav
        https://mail.example/login,mia@x.example,Geheim&lt;1,GEHEIMAA,Geheim line,Mail,Work\Accounts,1
        http://sn,,,,"NoteType:Credit Card
        Number:Geheim 4111
        Notes:Geheim",Card one,Money,0

        """#
    static let dashlane = #"""
        username,username2,username3,title,password,note,url,category,otpUrl
        mia,mia@x.example,,Shop,Geheim1,Geheim note,https://shop.example,My Shopping,otpauth://totp/Shop?secret=GEHEIMAA
        ,second,third,Other,Geheim2,,,,

        """#
    static let protonPass = #"""
        type,name,url,email,username,password,note,totp,createTime,modifyTime,vault
        login,Shop,"https://shop.example/, https://m.shop.example/",mia@x.example,,Geheim1,Geheim note,otpauth://totp/Shop?secret=GEHEIMAA,1704067200,1735689600,Personal
        login,Forum,https://forum.example/,mia@x.example,mia77,Geheim2,,,1704067200,1735689600,Personal
        alias,Alias one,,hide@alias.example,,,,,1704067200,1735689600,Personal
        note,Plan,,,,,"Geheim, ""second""
        third",,1704067200,1735689600,Personal
        creditCard,Visa,,,,,"{""cardholderName"":""Geheim M"",""number"":""Geheim 4111"",""verificationNumber"":""Geheim3"",""expirationDate"":""Geheim 2031"",""pin"":""""}",,1704067200,1735689600,Personal

        """#
    static let aegis = #"""
        {"version": 1, "header": {"slots": null, "params": null}, "db": {"version": 3, "entries": [
        {"type": "totp", "uuid": "1", "name": "mia", "issuer": "Shop", "note": "Geheim note", "favorite": true, "icon": null,
         "info": {"secret": "GEHEIMAA", "algo": "SHA256", "digits": 8, "period": 60}, "groups": ["g1"]},
        {"type": "totp", "uuid": "2", "name": "Forum", "issuer": "", "note": "", "favorite": false, "icon": null,
         "info": {"secret": "GEHEIMAB", "algo": "SHA1", "digits": 6, "period": 30}, "groups": []},
        {"type": "hotp", "uuid": "3", "name": "mia", "issuer": "Bank", "note": "", "favorite": false, "icon": null,
         "info": {"secret": "GEHEIMAC", "algo": "SHA1", "digits": 6, "counter": 7}},
        {"type": "steam", "uuid": "4", "name": "mia", "issuer": "Steam", "note": "", "favorite": false, "icon": null,
         "info": {"secret": "GEHEIMAD", "algo": "SHA1", "digits": 5, "period": 30}}
        ], "groups": [{"uuid": "g1", "name": "At work"}]}}

        """#
    static let seedList = #"""
        # From the old telephone
        otpauth://totp/Shop:mia%40x.example?secret=GEHEIMAA&issuer=Shop

        otpauth://totp/Forum?secret=GEHEIMAB
        otpauth://hotp/Bank:%20mia?secret=GEHEIMAC&counter=7

        """#
    static let all = [
        ExporterShape(name: "LastPass", text: lastPass),
        ExporterShape(name: "Dashlane", text: dashlane),
        ExporterShape(name: "Proton Pass", text: protonPass),
        ExporterShape(name: "Aegis", text: aegis),
        ExporterShape(name: "otpauth list", text: seedList),
        ExporterShape(name: "KeePassXC", text: keePassXC),
        ExporterShape(name: "Bitwarden", text: bitwarden),
        ExporterShape(name: "Chromium", text: chromium),
        ExporterShape(name: "Firefox", text: firefox),
        ExporterShape(name: "Safari", text: safari),
        ExporterShape(name: "1Password", text: onePassword),
        ExporterShape(name: "1PUX", text: onePUX),
        ExporterShape(name: "Bitwarden JSON", text: bitwardenJSON),
        ExporterShape(name: "KeePass XML", text: keePassXML),
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
