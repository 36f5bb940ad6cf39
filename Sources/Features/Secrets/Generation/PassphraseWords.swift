/// A word of up to eight bytes in one number: the first letter in the highest byte, zeros after the
/// last letter.
///
/// Packed words sort like the words.
struct PackedWord: Hashable, Comparable {
    private(set) var code: UInt64 = 0
    private(set) var count = 0

    /// Packs a word; nil if it is longer than eight bytes.
    init?(_ bytes: some Sequence<UInt8>) {
        for byte in bytes where !append(byte) { return nil }
    }

    /// Makes an empty word.
    init() {}

    /// Appends a letter; false if the word is full.
    mutating func append(_ byte: UInt8) -> Bool {
        guard count < 8 else { return false }
        code |= UInt64(byte) << (56 - 8 * UInt64(count))
        count += 1
        return true
    }

    /// The letter at `index`.
    subscript(index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: code >> (56 - 8 * UInt64(index)))
    }

    static func < (left: PackedWord, right: PackedWord) -> Bool { left.code < right.code }
}

/// The word list of generated passphrases.
enum PassphraseWords {
    /// The sorted words, parsed on first use.
    static let words: [PackedWord] = text.description.utf8
        .split(whereSeparator: { $0 <= 0x20 }).compactMap { PackedWord($0) }
}

// Generated data, written for this project and sorted. Change it only together with its tests.

extension PassphraseWords {
    /// 4,096 common English words of three to eight letters. No word is a prefix of another.
    static let text: StaticString = """
        ability able about above absent absorb abstract academy accent accept access account
        accurate achieve acid acorn acoustic acquire across action active actor actual adapt
        adder address adept adjust admire admit adopt adore adult advance advice advise aerial
        affair affect afford afraid after again agency agenda agent agile ago agree ahead aid
        aim airfield airline airport airy aisle alarm album alcove alert algebra alias alien
        align alike alive alley allow alloy almanac almond almost aloe alone along aloud alpaca
        alphabet alpine already also altar alter although altitude always amaze amber ambition
        amble amend amount ample amplify amuse analog analyst anatomy anchor ancient anger angle
        angry animal animate ankle annex annoy annual another answer antelope antenna anthem
        antique antler anvil anxious anyhow anyone anyway apart apology appeal appear apple
        apply appoint approach approve apricot april apron aquatic arcade archer archive arctic
        area arena argue arise armada armor army aroma around arrange array arrest arrive arrow
        artery artist artwork ascend ascent ash aside ask asleep aspect aspen asphalt aspire
        assemble assert asset assign assist assume assure asteroid astonish athlete atlas atom
        attach attempt attend attic attitude attract auburn auction audience audio audit august
        aunt aurora author autumn avail avenue average avocado avoid await awake award aware
        away awesome awful awhile awning axis axle azure baby bachelor backbone backpack
        backyard bacon badger badly bagel baggage bagpipe bait bakery balance balcony ballad
        ballet balloon ballot bamboo banana bandage bandit banjo banker banner banquet barber
        barely bargain barge bark barley barn baron barrel barrier baseball basic basil basin
        basis basket bass batch bathe bathroom baton battery battle bayou bazaar beach beacon
        bead beak beam bean beard beast beat beauty beaver because beckon become bedrock bedroom
        bedtime beech beef beehive beep beetle before began begin begun behalf behave behind
        beige being belief believe belly belong beloved below belt bench bend beneath benefit
        beret berry beside best better between beverage beyond bias bicycle bid big bike binary
        bind bingo biology birch bird birthday biscuit bishop bison bite bitter blade blame
        blanket blast blazer bleach blend bless blink blip blizzard block blogger blond bloom
        blossom blouse bluebell bluebird bluff blunt blur blush board boast body boil bold bolt
        bond bone bonfire bonnet bonus bookcase booklet bookmark boom boost booth border bore
        boring born borrow boss botany bother bottle bottom bought boulder bounce boundary
        bouquet boxer boy bracelet bracket braid brain brake bramble branch brand brass bravery
        break breathe breed breeze breezy brewer brick bride bridge bridle brief bright bring
        brink brisk broad broccoli brochure broken bronze brooch brook broom brownie bruise
        brunch brush bubble bucket buckle buddy budget buffalo buffer buffet buggy bugle bulb
        bulk bulletin bumper bumpy bunch bundle bungalow bunk bunny buoy burger burn burrow
        burst bushel business busy butler butter button buyer buzzard bypass cabbage cabinet
        cable cactus cadet cafe cage cake calcium calendar calf caller calm camel camera
        campaign camper campfire campus canal canary cancel candid candle candy cane canine
        cannon canoe canopy canteen canvas canyon capable capacity cape capital capsule captain
        caption capture caramel caravan carbon cardinal career caress cargo caribou carnival
        carpet carriage carrot carry carton cartoon carve cascade case cashew cashier casino
        cassette castle casual catalog catch category cater catnip cattle cause caution cavalry
        cavern caviar cedar ceiling celery cellar cello cement census center central century
        ceramic cereal ceremony certain chain chair chalk chamber champion chance change channel
        chant chaos chapel chapter charge chariot charity charm chart chase chat cheap cheat
        checkout cheek cheese cheetah chef chemical cherish cherry chess chestnut chew chicken
        chief child chili chill chime chimney chin chipmunk chirp chisel chive choice choir
        choose chop chord chorus chosen chowder chrome chuckle chunk church chute cider cinema
        cinnamon circle circuit circular circus citizen citrus city civic civil claim clamp clan
        clap clarify clarinet clarity classic claw clay clear clerk clever click client cliff
        climate climb clinic clip cloak clock clone closet cloudy clover club clue clumsy
        cluster clutch coach coal coarse coat cobalt cobbler cobra cocoa coconut code coffee
        coil coin coldest collar collect college collie colonel colony column combine comedy
        comet comfort comfy comic command commerce common commute compact company compare
        compass compete compile complete compose compost compute comrade concept concert
        conclude concrete condor conduct cone confess confirm connect conquer consider console
        constant consult consume contact contain content contest context continue contract
        contrast control convert convey convince cookbook cookie cool copper copy coral cord
        core cork corner correct corridor cosmic cosmos costume cosy cottage cotton couch cougar
        cough could council country county couple courage course courtesy cousin cover cowboy
        coyote cozy crab cradle crafty crane crater crawl crayon creamy create creature credit
        creek creep crepe crescent crest crew cricket crimson crisp critic crop crowd crown
        crucial cruise crumble crunch crush crust crystal cube cubic cuckoo cucumber cuddle cuff
        culinary culture cupboard cupcake curb cure curfew curious curly currency current curry
        curtain curve cushion custard cutlery cutter cycle cyclone cylinder cymbal cypress dad
        daffodil dagger daily dairy daisy damp dancer danger dapper dare dark darling dart data
        date daughter dawn daybreak daydream daylight dazzle dealer dear debate debris debt
        debut decade decay december decent decide decimal deck declare decline decorate decrease
        deepest deer defend defense defer define degree delay delegate delete delicate delight
        deliver delta deluxe demand denim dense dentist deny depart depend deposit depot depth
        deputy derive describe desert deserve desire desk dessert detach detail detect develop
        device devote dew diagram dialect dialog diamond diary dice dictate diesel diet differ
        digest dignity dill dime diner dinghy dingo dinner dinosaur diploma direct disagree
        discount discover discuss dish disk dismiss display dispute distance distinct ditch
        diverse divide divine diving dizzy dock doctor document dodge dog dollar dolphin domain
        domestic dominant domino donate donkey donor doorbell doorway dormant dose dot double
        doubt dough dove downhill download downtown dozen draft dragon drain drama drape drawer
        dreamy dress drift drill drink driver drizzle drone drop dry duckling duel duet dugout
        duke dune dungeon duplex durable duration during dusk dusty duty dwell dynamic dynamo
        dynasty each eager eagle earlier early earnest earth easel easier eastern easy eat echo
        eclipse ecology economy edge editor educate eel effect effort eggplant eighth eighty
        either elastic elbow elder electric elegant element elephant elevator eleven elf elite
        elk elm else email embark ember emblem embrace emerald emerge emotion emperor emphasis
        empire employee empty enable enact enamel enchant encore endless endorse endure energy
        enforce engage engrave enhance enigma enjoy enlarge enlist enormous enough enrich enroll
        ensemble ensure enter entire entrance entry envelope envy enzyme epic epilogue episode
        epoch equal equation equator equip erase errand error erupt escape escort espresso essay
        essence estate estimate eternal ether ethic evade evaluate evening event everyday
        evidence evident evolve exact examine example exceed excel except excess exchange excite
        excuse execute exercise exhale exhaust exhibit exile exist exit exotic expand expect
        expense expert explain explore export expose express extend extra extreme eyebrow
        eyelash fable fabric fabulous face facility factory faculty fade fairy faith falcon fall
        fame familiar family famous fancy fanfare fantasy farewell farmer fashion fasten father
        fatigue faucet fault favorite fawn feast feather feature february federal feed feel feet
        felt fence fern ferret ferry festival fetch fever few fiber fiction fiddle field fiesta
        fifteen fifth fifty figure file filing fill film filter final finance finding fine
        finger finish firefly fireman fireside firewood firm first fisher fishing fist fitness
        five fixture fizz flagship flair flake flame flamingo flannel flap flare flash flask
        flatter flavor flax flea fleece fleet flexible flicker flight flint flip float flock
        flood floor floral florist flour flower fluffy fluid flurry flute flutter fly foam focus
        foggy foil folder folk follow fond food football footpath forbid force forecast forestry
        forever forget forgive fork formal format former formula forth fortress fortune forty
        forum forward fossil foster founder fountain fourteen fourth foxglove fraction fragile
        fragment frame freckle freedom freezer freight french frequent fresh friday fridge
        frigate fringe frog frolic from frontier frosty frown frozen frugal fudge fuel full
        function funding funnel funny furnace furnish further fusion future fuzzy gadget gain
        galaxy gale gallant gallery galley gallon gallop game gander gap garage garland garlic
        garment garnet gasoline gateway gather gauge gazebo gazelle gazette gear gecko geese
        gelatin gem gender general generate generous genius genre gentle genuine geology
        geometry geranium gesture getaway geyser ghost giant gifted gigantic giggle gimmick
        ginger giraffe girl given glacier glade glance gland glass gleam glider glimmer glimpse
        glitter globe glory glossary glossy glove glow glue gnome goal goat gobble goblet going
        golden goldfish golfer gondola gone goodness goods goose gopher gorge gorilla gossip
        gourmet govern gown grab grade gradual graduate grain grammar granary grandma grandpa
        granite granola grant grape graphic grasp grass grateful gravel gravity gravy gray graze
        greatest green griddle grill grind grip grit grocery groom groove ground group grouse
        grove growing growth gruff guess guest guidance guide guild guitar gulf gull gum guppy
        guru gust gutter guy gymnast gypsum gyrate habitat hail haircut halfway hallway halo
        halt hamlet hammer hammock hamster handbag handbook handful handle handmade handrail
        handsome handy hangar happen happy harbor hardly hardware hare harmony harness harp
        harvest hasten hatchet haul haven hawk haystack hazard hazel headband heading headline
        healthy heap hearth hearty heater heather heaven heavy hectic hedgehog height heir
        helium helmet helper helpful hemlock henna herald herb herd here heritage hermit heron
        herring hesitate hexagon hibiscus hickory hidden hide highland highway hiker hiking
        hillside hilly hint hippo hire history hit hobby hockey holder hole holiday hollow holly
        homeland homemade homework honest honey honor hood hoof hook hoop hopeful horizon hornet
        horse hose hospital hostel hotel hound hour house hover however hub huddle hue huge hull
        human humble humid humorous hundred hungry hunter hurdle hurry hush husky hut hyacinth
        hybrid hydrant hydrogen hymn iceberg icicle icing icon icy ideal identify identity idle
        idol igloo ignite ignore iguana image imagine imitate immense immune impact imperial
        import impress improve impulse inch incident include income increase indeed index
        indicate indigo indoors industry infant infinite inflate inform initial ink inland inlet
        inner innocent input inquire insect insert inside insight insist inspect inspire install
        instance instant instead instinct instruct insulin insure intact integer intend intense
        interact interest interior internal internet interval into invent invest invite invoice
        involve iris ironing irony island isolate issue italic item itself ivory ivy jacket
        jackpot jade jaguar jam janitor january jargon jasmine javelin jaw jazz jealous jeans
        jeep jelly jester jet jewelry jigsaw jingle job jockey jogger joiner joint joker jolly
        jolt journal journey joyful joyous jubilee judge judo juggler juice juicy july jumble
        jumbo jumper junction june jungle junior juniper jury justice justify kale kangaroo
        karate kayak kazoo keel keen keeper kelp kennel kernel kestrel ketchup kettle keyboard
        keyhole keynote keypad kick kidney kilo kimono kindle kindly kindness kingdom kiosk
        kitchen kite kitten kiwi knack knapsack knead kneel knife knight knit knob knock knoll
        knot know knuckle koala label labor lace ladder ladle ladybug lagoon lake lamb lamp
        lance landlord landmark lane language lantern lapel laptop larch larger lark larva laser
        lasso last lately later lather latitude latter lattice laughter launch laundry laurel
        lava lavender lavish lawful lawn lawyer layer layout lazy leader leafy league leak lean
        leap learn lease leash least leather leave lecture ledge leek left legacy legal legend
        legion legume leisure lemonade lemur lend length lens lentil leopard lesson letter
        lettuce level lever liaison liberal liberty library license lichen lid lifeboat lifetime
        lift lighter likable likely likewise lilac lily limb lime limit linear linen linger link
        lion lip liquid listen literal literary little lively liver lizard llama loaf loan lobby
        lobster local locate locker locket lodge lofty logical logo lonely longing lookout loom
        loop loose lotion lottery lotus loud lounge lovely lover lower loyalty lucid lucky
        luggage lullaby lumber luminous lump lunar luncheon lung lure lush lute luxury lynx
        lyrical macaroni machine mackerel magazine magenta magical magma magnetic magnify
        magnolia magpie mahogany mailbox mailman mainland maintain maize majestic majesty maker
        makeup mallard mallet malt mammal mammoth manager mandate mandolin mane mango manicure
        mankind manner manor mansion mantel manual many maple marathon marble march mare margin
        marigold marina mariner market marmot maroon marry marshal martial marvel mascot mask
        mason massage massive master match material math matinee matrix matter mattress mature
        maximum maybe mayor maze meadow meal meaning measure meat mechanic media medical
        medicine medium medley meeting mellow melody melon melt member membrane memoir memorial
        memory mend mental mention mentor menu merchant mercury mercy merge meringue merit
        mermaid merry mesh message metallic meteor meter method metro mice microbe midday middle
        midnight midst midway mighty migrate mild mileage milky miller million mimic mince
        mindful mineral mingle minimal minimum minister mink minnow minor mint minus minute
        miracle mirage mirror mischief mission mistake mitten mixture moat mobile model moderate
        modern modest modify module molar molecule moment monarch monday money mongoose monitor
        monkey monorail monsoon monthly monument moody moonbeam moonrise moor moose mop moral
        moreover morning morsel mortar mosaic mosque mosquito mossy most motel mother motion
        motive motor motto mound mountain mourn mouse mousse mouth movable mover movie much
        muddy muffin mug mulberry mule multiple mumble mural muscle museum mushroom musical
        musket mussel mustang mustard mutter mutton mutual muzzle mystery mystic mythical nail
        namely napkin narrate narrow native natural nature navigate navy nearby nearest nearly
        neat nebula necklace nectar needle neighbor neither neon nephew neptune nerve nestle
        network neuron neutral never newborn newcomer newest newsroom newt next nibble nice
        nickel nickname niece nightcap nimble nineteen ninety ninth nitrogen nobility noble
        nobody node noise noisy nomad nominate none noodle noon normal northern nose notable
        notch notebook nothing notice notify notion nougat noun nourish novelty november novice
        nowhere nozzle nuance nuclear nudge null number numeral numerous nursery nursing nurture
        nutmeg nutshell nylon oak oar oasis oatmeal obey object oblige oblong oboe observe
        obtain obvious occasion occupy occur ocean octagon octave october octopus odd odor offer
        officer official offset often oil okay older oldest olive olympic omega omelet omit once
        one ongoing onion online only onset onto onward onyx opal opaque opener opening operate
        opinion opossum opponent oppose opposite optical optimal optimism optimist opus oral
        orange orbital orchard orchid ordeal order ordinary ore organic organize origami oriole
        ornament orphan osprey ostrich other otter ought ounce our outcome outer outfit outgoing
        outing outlaw outlet outline outlook output outrage outside outward oval ovation oven
        overall overcoat overcome overdue overhead overlap overlook overseas overtime overview
        owl owner oxford oxygen oyster ozone pace package packet paddle paddock padlock pageant
        pagoda pail painter pair pajamas palace palette palm pamphlet pancake panda panel
        panorama pansy pantry pants papaya paper paprika parade paradise paradox parallel parcel
        pardon parent parish parking parlor parrot parsley parsnip partial particle partly
        partner party passage passion passive passport pasta pastel pastime pastry pasture patch
        patent pathway patience patient patio patriot patrol patron pattern pause pavilion paw
        payment payroll peach peacock peak peanut pearl pebble pecan peculiar pedal peddler
        pedigree peel peer pelican penalty pencil pendant pending pendulum penguin penny pension
        people pepper perceive percent perch perfect perform perfume perhaps period permit
        persuade petal petite petrol petunia pewter phantom pharmacy phase pheasant phoenix
        phone photo phrase physical physics pianist piano piccolo picket pickle pickup picnic
        picture piece pier pigeon pigment pile pilgrim pillar pillow pilot pinball pinch
        pinecone pink pint pioneer pipeline pirate pitcher pivot pixel pizza place placid plaid
        plain planet plank planner planter plasma plaster plastic plateau platform platinum
        platter player playful plaza pleasant please pleasure pledge plenty plot plow pluck plug
        plumber plumbing plume plunge plural plush plywood pocket podium poem poetic poetry
        pointer polar pole police policy polish polite polka pollen pollute polo ponder pony
        poodle pool popcorn poplar poppy popular porch pore porridge portable portal porter
        portion portrait portray pose position positive possess possible postage postal postcard
        poster postman posture potato potent potion pottery pouch poultry pound pour powder
        practice prairie praise prance prawn preach precious precise predict prefer prefix
        prelude premier premise premium prepare presence present preserve pressure presto
        pretend pretty pretzel prevail prevent preview previous price pride priest primary prime
        primrose princess printer priority prism private prize probable probe problem proceed
        process proclaim product profile profit program progress project promise promote prompt
        pronoun proof propel property prophet propose prospect prosper protect protein protest
        proton proud proverb provide province prudent prune public publish pudding puddle puffin
        pulley pulp pulse puma pumpkin punch punctual pupil puppet puppy purchase pure purity
        purple purpose purr purse pursue pursuit push putty puzzle pyramid quail quaint quake
        quality quantity quarrel quarry quarter quartet quartz quasar quay queen quench query
        queue quickly quietly quill quilt quince quinoa quiver quiz quota quote rabbit raccoon
        racer racing racket radar radiant radiator radical radio radish radius raffle rafter
        railing railroad railway rainbow raincoat raindrop rainfall rainy raise raisin rake
        rally ramble ramp rancher random ranger rank rapids rarely rate rather rating rational
        rattle ravine ravioli raw ray razor reach reader readily reading ready realist reality
        realize realm reap rear reason rebate rebel rebuild recall receipt receive recess recipe
        recital recite reckon reclaim recline recover recruit recycle reduce redwood reed reef
        reel referee refine reflect reform refrain refresh refuge refund refuse regain regal
        regard reggae regime region register regret regular rehearse reign reindeer reject
        rejoice relate relative relax relay release relevant reliable relic relief relieve
        relish rely remain remark remedy remember remote removal remove render renewal rental
        repair repay repeat repel replace replica reply request require rescue research resemble
        reserve resident resign resist resolve resort resource respect respond response restful
        restless restore result resume retail retain retina retire retreat retrieve return
        reunion reunite reveal revenue reverse review revise revival revive revolve reward rhino
        rhubarb rhyme rhythm ribbon rice richly riddle rider ridge right rigid rim ringlet rinse
        ripe ripple rise rising ritual rival river rivet roadside roadway roam roar roast robe
        robin robot robust rocket rocky rodeo role roller romance romantic roof rookie roomy
        rooster root rope rosebud rosemary roster rotary rotate rotor rough round route routine
        rover rowboat royalty rubber ruby rudder rugby rugged ruin ruler rumble rumor runner
        runway rural rush russet rustic rustle rusty rutabaga rye sable sack sacred saddle
        safari safely safety saffron saga sage sailboat sailing sailor saint salad salary sale
        salmon salon salsa salty salute salvage same sample sandal sandbox sandwich sandy
        sapling sapphire sardine satchel satin satire satisfy saturday saturn saucer sauna
        sausage savanna saver saving savor sawdust sax say scale scallop scamper scanner scarf
        scarlet scatter scenario scenery scenic scent schedule scheme scholar school schooner
        science scissors scold scone scoop scooter scope score scout scramble scrap scratch
        screen screw scribble script scroll scrub sculptor seabed seafood seagull seahorse seal
        seam search seashell seashore seaside seat seaweed second secret section sector secure
        sedan seedling seek seem segment seldom select selfless seller semester seminar senate
        senator send senior sense sensible sentence sentry separate sequel sequence sequoia
        serene sergeant serial series serious sermon servant serve service sesame session
        setback settler setup seventh seventy several severe sew shade shadowy shady shallow
        shampoo shamrock shape share shark sharpen shatter shawl shear shed sheep sheet shelf
        shell shelter shepherd sherbet sheriff shield shift shimmer shine shiny shipyard shirt
        shiver shock shoebox shoelace shopper shore shortcut shorten shorts shout shovel shower
        showroom shrewd shrimp shrine shrink shrub shuffle shutter shuttle shy sibling sidewalk
        sideways sienna siesta sieve sift sight signal silence silent silicon silky silly silo
        silver similar simmer simple simplify simply sincere singer single sink sip siren sister
        site situate sixteen sixth sixty size sizzle skater skeleton sketch skiing skillet skim
        skin skipper skirt skylark skylight skyline slate sled sleek sleeper sleepy sleet sleeve
        sleigh slender slice slide slight slim sling slipper slogan slope sloth slowly slumber
        smart smell smelt smile smock smoke smoky smoothie smudge snack snail snake snapshot
        snare sneaker sneeze sniff snooze snore snorkel snowball snowfall snowman snowy snug
        soak soapy soar soccer social society socket soda sofa soften softly software soil solar
        soldier solemn solid solitary solitude soloist solution solvent sombrero somebody
        somehow someone somewhat sonar sonata song sonic sonnet sooner soothe soprano sorbet
        sort soul sound soup source southern souvenir space spacious spaniel spare sparrow
        spatula speaker spear special species specific specimen spectrum speech speedy spell
        spend sphere spice spicy spider spill spinach spindle spine spinner spiral spirit splash
        splendid splendor splint split spoil spoke sponge sponsor spoon sporty spotless spotted
        spout sprain spray spread spring sprinkle sprint sprout spruce spur squad square squash
        squeak squeeze squid squire squirrel stable stack stadium staff stage stain stair stake
        stale stalk stall stamina stampede stance standard stanza staple starch stare starfish
        starling starry starter startle state static station statue status stay steady steak
        steam steel steeple steer stellar stem stencil step stereo steward sticker sticky stiff
        still stilt sting stirrup stitch stoic stomach stone stony stool stoop stop storage
        store stormy story stout stove strand strange strap strategy straw stream street
        strength stress stretch strict stride strike string stripe stroll strong strudel
        struggle stucco student studio study stuff stumble stump stunt sturdy style stylish
        subject sublime submit subtle suburb subway succeed success such sudden suffer suffix
        sugar suggest suitable suitcase suite sulfur sultan summary summer summit sunbeam
        sunburn sundae sunday sundial sunfish sunlight sunny sunrise sunset sunshine superb
        supper supply support suppose supreme sure surface surfer surgeon surname surplus
        surprise surround survey survive sushi suspect suspend sustain swallow swamp swan swap
        swarm sway sweater sweep sweet swell swift swimmer swing swirl switch sword sycamore
        syllable symbol symmetry symphony synapse synonym syntax syrup system tablet tackle taco
        tactful tactic tadpole tailor take talent talker tall tame tandem tangle tango tanker
        tapestry tapioca target tarmac tartan task taste tasty tavern taxi teacher teal teammate
        teamwork teapot tear teaspoon teatime techno telegram teller temper temple tempo tenant
        tender tendril tennis tenor tense tenth terminal terrace terrier terrific testify
        textbook textile texture thatch thaw theater theme theory there thermal thermos thicket
        thimble thing think third thirsty thirteen thirty thistle thorn thorough those thought
        thousand thread three thrifty thrill thrive throat throne through throw thrush thumb
        thunder thursday thus thyme tiara ticket tickle tidal tide tidy tie tiger tighten tile
        till tilt timber timeless timely timer timid tinkle tinsel tint tiny tiptoe tire tissue
        title toad toaster today toddler toe toffee together toggle token told tolerant tolerate
        toll tomato tomorrow tone tongs tongue tonic tonight toolbox tooth topaz topic topmost
        topping torch tornado tortoise total totem toucan touch tough tourism tourist toward
        towel tower township toy trace track tractor trader trading traffic tragic trailer
        trainer trait tram tranquil transfer transit transmit trapeze tray tread treasure treaty
        treble tree trek trellis tremble trench trend trial triangle tribe tribute tricky
        tricycle trifle trigger trillion trim trinket trio triplet triumph trivial trolley
        trombone troop trophy trot trouble trough trousers trout trowel truce truck true truffle
        truly trumpet trunk trusty truth try tuba tube tuesday tugboat tuition tulip tumble
        tummy tuna tundra tune tunic tunnel turban turbine turbo turf turkey turnip turret
        turtle tusk tutor tweed twelfth twelve twenty twice twig twilight twinkle twirl twist
        two tycoon type typhoon typical typist ukulele ultimate umbrella umpire unable uncle
        undergo undo uneven unfold unicorn uniform union unique unison unite unity universe
        unknown unless unlike unlock untie until unusual unveil upbeat update upgrade uphill
        uphold uplift upload upon upper upright uproar upset upside upstairs upstream upward
        uranium urban urchin urgent urn usable usage useful user usher usual utensil utility
        utmost utter vacancy vacant vacation vaccine vacuum vague valiant valid valley valor
        valuable value valve vanilla vanish vanity vapor variable variety various varnish vary
        vase vast vault vector vegan vehicle veil vein velocity velvet vendor venture venue verb
        verdict verify verse version versus vertex vertical very vessel vest veteran viaduct
        vibrant vibrate vicar victory video viewer vigor village vinegar vineyard vintage vinyl
        viola violet violin virtual virtue visa visible vision visitor visor vista visual
        vitamin vivid voice volcano volley volume voter vowel voyager vulture wafer waffle wage
        wagon waist waiter waken walker walking wallet walnut walrus waltz wander want warble
        wardrobe warmth warning warp warrior washer wasp watery wave wavy wax wayside weak
        wealthy weary weather weaver website wedding wedge weekday weekend weekly weight welcome
        welfare well western wet whale wharf what wheat wheel when where whether which while
        whimsy whip whirl whisker whisper whistle white whole wholly why wicker widen widow
        width wife wiggle wildlife willing willow windmill window windy wine wing winner winter
        wipe wire wisdom wise wishful withdraw within without witness witty wizard wobble wolf
        woman wombat wonder wooden woodland woodwork woolen word worker workout workshop worldly
        worm worry worthy would woven wrapper wreath wrench wrestle wrinkle wrist writer writing
        written wrong yacht yak yam yardage yarn yawn yearbook yearly yeast yellow yes yeti
        yield yodel yoga yogurt yoke yolk yonder younger your youth yucca zany zealous zebra
        zenith zephyr zero zesty zigzag zinc zipper zither zodiac zone zoology zoom zucchini
        """
}
