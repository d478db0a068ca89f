extension Theme {
    static let anything = Theme(
        "anything goes", topics: "general community", tags: "photo photography picoftheday favourite", hours: .daylight,
        [
            Wording("Anything Goes", "Any photo, any subject, three a day."),
            Wording("The Daily Photo", "One photo a day from each member, taken that day."),
            Wording("Best of This Week", "The one photo of your week that you would keep."),
            Wording("Post One, Comment on Two", "Fair feedback: for each photo posted, comment on the two before it."),
            Wording("Newcomers' Lounge", "First photos, first questions, friendly answers."),
            Wording("Weekly Challenge", "A new word every Sunday; interpret it as you like."),
            Wording("Favourites Only", "Photos that at least ten people have marked as favourites."),
            Wording("Hidden Gems", "Good photos that hardly anyone has seen yet."),
            Wording("Photography Without Rules", "No limits, no themes, no awards, no banners."),
            Wording("Quiet Photographs", "Photos that do not shout."),
            Wording("Second Look", "Photos from the archive that deserve another chance."),
            Wording("One Camera, One Lens", "A month with the same camera and lens; say which."),
            Wording("Critique, Please", "Honest and kind criticism, given as often as received."),
            Wording("Sunday Best", "One photo, every Sunday, and nothing in between."),
            Wording("Storytellers", "Photos with at least fifty words about how they came to be."),
            Wording("The Coffee Break", "A chat with photos: whatever you saw today."),
            Wording("Straight out of the Camera", "No editing, no filters, no regrets."),
            Wording("Under a Hundred Views", "Photos that were overlooked, given a second chance."),
            Wording("Colour of the Month", "A different colour every month, in any subject."),
            Wording("Photographers over Sixty", "For those who have been at it for a while."),
        ],
        subjects: [
            "everyday moments": "everyday life", "happy accidents": "accident unexpected",
            "small things": "small detail",
            "favourite corners": "corner home", "strange encounters": "strange funny",
        ])

    static let blackAndWhite = Theme(
        "black and white", topics: "monochrome art",
        tags: "blackandwhite bw monochrome noiretblanc contrast grey mono shadow",
        places: [.city, .region], techniques: false,
        [
            Wording("Black and White", "Monochrome of any kind; no selective colour, no sepia."),
            Wording("High Contrast", "Deep blacks, clean whites, not much between."),
            Wording("Fifty Greys", "Soft tones and long gradations."),
            Wording("Noir", "Shadows, smoke, trench coats and venetian blinds."),
            Wording("Monochrome Mondays", "Start the week without colour."),
        ],
        inPlaces: [
            Wording("{Place} in Black and White", "{place} with the colour taken out."),
            Wording("Monochrome {Place}", "Tones, textures and shadows from {place}."),
        ],
        subjects: [
            "black and white portraits": "portrait face", "black and white landscapes": "landscape sky",
            "black and white street scenes": "street candid", "shadow plays": "shadow lines",
            "black and white abstracts": "abstract shapes",
        ])

    static let film = Theme(
        "film photography", topics: "analogue cameras",
        tags: "film analog 35mm filmphotography grain kodak ilford believeinfilm",
        places: [.city, .region], techniques: false,
        [
            Wording("35mm Film Only", "Small format film, scanned or printed; no digital, no simulations."),
            Wording("Medium Format", "120 and 220, from folder to system camera."),
            Wording("I Shoot Film", "Film of any size, from any camera, developed anywhere."),
            Wording("Expired Film Club", "Out-of-date rolls and whatever they did."),
            Wording("Home Developers", "Tanks, times and tap water; give the recipe."),
        ],
        inPlaces: [Wording("{Place} on Film", "{place} on negative, slide and instant film.")],
        subjects: [
            "pinhole photographs": "pinhole lensless", "large format negatives": "largeformat 4x5",
            "half-frame cameras": "halfframe olympuspen",
            "rangefinders": "rangefinder leica", "slide films": "slide e6 velvia",
            "double exposures": "doubleexposure overlay",
        ])

    static let instant = Theme(
        "instant film", topics: "analogue polaroid",
        tags: "polaroid instant instantfilm analog instax sx70 frame faded",
        places: [.city], techniques: false,
        [
            Wording("Polaroid Week", "Two instant photos a day, for one week in spring and one in autumn."),
            Wording("Instant Gratification", "Instant film of every make and size."),
            Wording("The Last Packfilm", "Peel-apart film, while it lasts."),
        ],
        inPlaces: [Wording("Instant {Place}", "{place} in white frames.")],
        subjects: [
            "emulsion lifts": "emulsionlift transfer", "SX-70 cameras": "sx70 folding", "instax minis": "instaxmini",
            "expired polaroids": "expired colourshift",
        ])

    static let mobile = Theme(
        "mobile photography", topics: "phone everyday",
        tags: "mobile phone iphone phoneography snapshot everyday android app",
        places: [.city], techniques: false,
        [
            Wording("Phone Only", "Taken and edited on a phone."),
            Wording("The Camera You Have with You", "Everyday moments that no big camera saw."),
            Wording("Lunch Break Photos", "Phone photos from the hour in the middle of the day."),
        ],
        inPlaces: [Wording("{Place} by Phone", "{place} on the way to work, the shop and the bus.")],
        subjects: [
            "phone panoramas": "panorama", "commutes by phone": "commute bus", "phone portraits": "portrait face",
            "square crops": "square crop",
        ])

    static let reflections = Theme(
        "reflections", topics: "abstract water", tags: "reflection mirror water symmetry puddle glass abstract surface",
        places: [.city, .region],
        [
            Wording("Mirror, Mirror", "Reflections in water, glass, metal and eyes."),
            Wording("Upside Down World", "Reflections turned over, so that you have to look twice."),
            Wording("Still Water", "Lakes and ponds on days without wind."),
        ],
        inPlaces: [Wording("{Place} Reflected", "{place} in puddles, windows and rivers.")],
        subjects: [
            "shop window reflections": "shopwindow layers", "puddle reflections": "puddle rain",
            "lake reflections": "lake calm",
            "distorted reflections": "distorted chrome",
        ])

    static let minimalism = Theme(
        "minimalism", topics: "abstract composition",
        tags: "minimalism minimal negativespace simple lines clean abstract less",
        places: [.city],
        [
            Wording("Less Is More", "As little as possible in the frame, and every bit in its place."),
            Wording("Negative Space", "Mostly nothing, well arranged."),
            Wording("Colour Blocks", "Two or three flat colours and an edge between them."),
        ],
        inPlaces: [Wording("Minimal {Place}", "{place} reduced to lines, planes and one small figure.")],
        subjects: [
            "empty walls": "wall plain", "single chairs": "chair alone", "white spaces": "white highkey",
            "geometric shadows": "geometry shadow", "wires and sky": "wires sky",
        ])

    static let longExposure = Theme(
        "long exposure", topics: "technique tripod", tags: "longexposure ndfilter tripod motion blur smooth slow time",
        places: [.city, .region], techniques: false, everywhere: false,
        [
            Wording("Ten Stops", "Dense filters, bright days, smooth water."),
            Wording("Slow Shutter", "A second or longer; say how long."),
            Wording("Painting with Light", "Torches, steel wool and an open shutter in the dark."),
        ],
        inPlaces: [Wording("Long Exposures of {place}", "{place} over seconds and minutes.")],
        subjects: [
            "light paintings": "lightpainting torch", "silky seas": "sea smooth", "moving crowds": "crowd motion blur",
            "drifting clouds": "clouds streaks", "camera movements": "icm blur abstract",
        ])

    static let infrared = Theme(
        "infrared", topics: "technique landscape",
        tags: "infrared ir 720nm converted falsecolour surreal white foliage",
        season: .summer, places: [.region], techniques: false, everywhere: false,
        [
            Wording("Invisible Light", "Infrared of every wavelength, film or converted camera."),
            Wording("White Trees, Black Sky", "Classic black and white infrared."),
            Wording("False Colour", "Swapped channels and pink forests."),
        ],
        inPlaces: [Wording("Infrared {Place}", "{place} in light that we cannot see.")],
        subjects: [
            "infrared trees": "tree white", "infrared churches": "church ruin",
            "full spectrum conversions": "fullspectrum filter",
            "infrared clouds": "clouds dramatic",
        ])
}
