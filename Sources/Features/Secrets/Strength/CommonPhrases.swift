internal import Platform
internal import SecretMemory
internal import TextCoding

/// Common phrases. libzxcvbn rates their words individually: `to be or not to be` at 10^20 guesses.
enum CommonPhrases {
    /// The folded phrases.
    static let entries: [[UInt8]] = text.description.split(separator: "\n").map {
        $0.utf8.compactMap { fold($0) }
    }

    /// Folds the case and letter substitutions of a byte; nil for spaces and punctuation.
    private static func fold(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: "'"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            nil
        case UInt8(ascii: "0"): UInt8(ascii: "o")
        case UInt8(ascii: "1"), UInt8(ascii: "l"), UInt8(ascii: "L"): UInt8(ascii: "i")
        case UInt8(ascii: "3"): UInt8(ascii: "e")
        case UInt8(ascii: "4"), UInt8(ascii: "@"): UInt8(ascii: "a")
        case UInt8(ascii: "5"), UInt8(ascii: "$"): UInt8(ascii: "s")
        case UInt8(ascii: "7"): UInt8(ascii: "t")
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 0x20
        default: byte
        }
    }

    /// The entropy in bits of a passphrase that consists of a phrase and other characters; nil if
    /// it contains no phrase.
    static func bits(in passphrase: RawSpan) throws -> Double? {
        var folded = try SecretBytes(count: passphrase.byteCount)
        var count = 0
        for offset in 0..<passphrase.byteCount {
            guard let byte = fold(passphrase[offset]) else { continue }
            folded.withMutableBytes { $0.set(byte, at: count) }
            count += 1
        }
        let longest = folded.withBytes { bytes in
            entries.filter { entry in
                entry.count <= count
                    && (0...(count - entry.count)).contains { start in
                        entry.indices.allSatisfy { bytes[start + $0] == entry[$0] }
                    }
            }.map(\.count).max()
        }
        // The other characters count as random printable ASCII.
        return longest.map { log2(Double(entries.count)) + Double(count - $0) * log2(95.0) }
    }

    private static let text: StaticString = """
        to be or not to be
        to be or not to be that is the question
        correct horse battery staple
        correct horse
        all your base are belong to us
        all you need is love
        all work and no play makes jack a dull boy
        an apple a day keeps the doctor away
        and they lived happily ever after
        ask not what your country can do for you
        beam me up scotty
        better late than never
        carpe diem
        cogito ergo sum
        do or do not there is no try
        dont panic
        dont stop believing
        early to bed and early to rise
        elementary my dear watson
        et tu brute
        every cloud has a silver lining
        four score and seven years ago
        frankly my dear i dont give a damn
        game of thrones
        give me liberty or give me death
        go ahead make my day
        god bless america
        god save the king
        god save the queen
        happy birthday to you
        harry potter
        hasta la vista baby
        have a nice day
        heres looking at you kid
        home sweet home
        houston we have a problem
        humpty dumpty sat on a wall
        i am your father
        i have a dream
        i love you
        i think therefore i am
        i want to believe
        ich bin ein berliner
        ich liebe dich
        if at first you dont succeed
        ill be back
        in god we trust
        in the beginning
        in vino veritas
        it was a dark and stormy night
        it was the best of times
        je taime
        jingle bells
        keep calm and carry on
        knowledge is power
        let it be
        let it go
        let me in
        let there be light
        liberte egalite fraternite
        life is like a box of chocolates
        live long and prosper
        lorem ipsum dolor sit amet
        lord of the rings
        love is all you need
        make love not war
        mary had a little lamb
        may the force be with you
        memento mori
        merry christmas
        mirror mirror on the wall
        my name is bond james bond
        my precious
        never gonna give you up
        never say never
        now is the time for all good men
        now is the winter of our discontent
        nobody expects the spanish inquisition
        oh my god
        once upon a time
        one flew over the cuckoos nest
        one ring to rule them all
        open sesame
        our father who art in heaven
        per aspera ad astra
        play it again sam
        practice makes perfect
        rage against the machine
        red hot chili peppers
        resistance is futile
        rock and roll
        romeo and juliet
        roses are red
        roses are red violets are blue
        row row row your boat
        sein oder nicht sein
        shall i compare thee to a summers day
        so long and thanks for all the fish
        speak friend and enter
        stairway to heaven
        star wars
        the answer is 42
        the cake is a lie
        the early bird catches the worm
        the lord is my shepherd
        the quick brown fox
        the quick brown fox jumps over the lazy dog
        the truth is out there
        there is no place like home
        theres no place like home
        this is my password
        this is the password
        this is a secret
        this too shall pass
        three blind mice
        time is money
        to infinity and beyond
        tomorrow is another day
        twinkle twinkle little star
        veni vidi vici
        we are the champions
        we the people
        we will rock you
        what is my password
        when in rome
        where there is a will there is a way
        winter is coming
        with great power comes great responsibility
        yes we can
        you shall not pass
        you can do it
        """
}
