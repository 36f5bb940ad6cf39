/// Common choices in place of a random passphrase, for ``PassphraseStrength``.
enum CommonPasswords {
    /// Common passwords, roughly by frequency.
    static let entries: [[UInt8]] = split(text)

    /// Short words that ``PassphraseWords`` omits because they begin another word, sorted.
    static let everydayWords: [PackedWord] = split(everydayText).compactMap { PackedWord($0) }

    private static func split(_ text: StaticString) -> [[UInt8]] {
        text.description.utf8.split(whereSeparator: { $0 <= 0x20 }).map { Array($0) }
    }

    private static let text: StaticString = """
        password 123456 12345678 qwerty 123456789 12345 1234 111111 1234567 dragon 123123 baseball
        abc123 football monkey letmein shadow master 696969 michael mustang 666666 qwertyuiop
        123321 1234567890 superman 654321 1qaz2wsx 7777777 qazwsx jordan jennifer hunter trustno1
        ranger buster thomas robert soccer batman test pass hockey george charlie andrew michelle
        love sunshine jessica pepper daniel access 1q2w3e4r joshua maggie starwars silver william
        dallas yankees ashley 666 hello amanda orange computer freedom 1111 maverick ginger
        princess whatever welcome login admin administrator root toor changeme default guest user
        secret iloveyou passw0rd password1 password123 qwerty123 qwertz azerty asdfgh asdf asdfghjkl
        zxcvbn zxcvbnm q1w2e3r4 q1w2e3r4t5 1q2w3e 1q2w3e4r5t zaq12wsx 987654321 87654321 0000
        000000 00000000 11111111 112233 121212 131313 159753 147258369 222222 555555 888888 999999
        aa123456 a123456 abcd1234 abcdef abcdefg abc letmein1 welcome1 monkey1 dragon1 pokemon
        naruto minecraft matrix killer cookie summer winter spring autumn flower chocolate butterfly
        cheese banana purple yellow tigger snoopy charlie1 anthony nicole jasmine matthew samantha
        liverpool chelsea arsenal barcelona juventus manchester london berlin paris vienna america
        internet google facebook linkedin samsung nintendo playstation windows linux ubuntu debian
        oracle mysql postgres server system backup vault keychain wallet bitcoin master123 admin123
        root123 test123 testing pass123 pass1234 hello123 love123 qwe123 qweasd qweasdzxc asd123
        zxc123 lovely family friends forever angel angels lucky blessed jesus christ heaven mother
        father sister brother baby babygirl sweetheart honey darling beautiful princess1 superstar
        rockstar metallica nirvana slipknot eminem startrek gandalf merlin frodo phoenix mercedes
        ferrari porsche corvette harley yamaha tinker bailey buddy cooper rocky bandit scooter
        correct horse battery staple correcthorsebatterystaple opensesame sesame
        """

    private static let everydayText: StaticString = """
        act add age air all ant any aqua arch arm art aster back badge bag bake baker ball band
        bank bar bare base bath bay bear bed bee beet bell bet bill bin birth bit blank blaze
        blue boat book boot both bound bow bowl box brace bran brave bread breath brew broth
        brow brown browse bud build bull bus bush buy buzz cab cabin call camp can cap car card
        care cart cash cast cat cave cell cent check cheer chest chip clam class clean close
        cloth cloud clove coast color comb come comma cook corn cost count court crack craft
        crate cream cross crow crumb cub cup curl custom dam dance dash day deal decor deep
        design dial digit dine dip disc dive diver doll dome door down draw dream drive drum
        duck due dust ear earl earn east edit egg eight elect employ end engine era even ever
        every exam eye fact factor fair fan far farm fast favor fee fig find fir fire fish fit
        fix flag flat flow fog fold foot for forest forge form fort found four fox free freeze
        friend front frost fruit fun fund fur garden gas gate get gift give glad glide gloss
        gold golf good grace grand graph great greet grin grocer grow guard gym habit hair half
        hall ham hand hang hard hat hatch have hay haze head health hear heart heat hedge help
        hen hero high hike hill hip hold home hop hope horn host hot how hug hum humor hunt ice
        idea indoor inn iron jar jewel jog join joke joy juggle jump just keep key kid kind king
        kit knee lady land lap large late laugh law lead leaf leg lemon let life light like line
        list liter live lock loft log logic long look love low loyal luck lull lunch lyric magic
        magnet mail main major make mall manage map marine marsh mass mast mat mate may mean
        medal meet memo metal might mile milk mill mind mine miner mini miss mist mix mode mole
        month mood moon more moss moth mount move mud music must myth name nap nation near neck
        need nest net new news night nine north note novel now nurse nut oat off office old open
        opera optic option orbit organ origin outdoor over own pack pad page paint pale pan pane
        park part pass past paste path pave pay pea peace pear pen person pick pie pill pin pine
        pipe pit pitch plan plant plate play plum plus poet point poll pond port post pot potter
        power press prince print produce proper prove pull pump pup put quart quest quick quiet
        race rack raft rail rain ranch range rapid rare ratio react read real recent record red
        refer rein remind renew rent report reside rest rich ride ring road rock roll rook room
        rose row royal rub rug rule run rust safe sail salt sand sauce save saw scan scarce
        scene sea season see seed self sell set settle seven shadow sharp shin ship shoe shop
        short should show shut side sigh sign silk since sing sit six skate ski skill skip sky
        sleep slip slot slow smooth snap sneak snow soap sock soft sole solo solve some son soon
        sour south span spark sparkle speak speed spin sport spot stamp stand star start steep
        stew stick stir stock storm strip stun suit sum sun surf surge swim tab table tail tale
        talk tan tank tap tape tar tax teach team tell ten tend tent term test text thank thick
        thin this though thrift tick tight time tin tip toast tool top tour town trade trail
        train trap travel treat trick trip triple tropic trust tug turn twin under unit urge use
        van via view villa vine visit vital vocal vote voyage wag wait wake walk wall ward warm
        warn wash watch water way wealth wear weave web week weigh west whisk wick wide wild
        will win wind wish with wood wool work world worth wrap wren write yard year yell yet
        young zeal zest zip zoo
        """
}
