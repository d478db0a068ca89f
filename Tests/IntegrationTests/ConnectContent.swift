/// The rows that the catalog must have of the tables in `Tests/IntegrationTests/Connect`.
extension ConnectTests {
    static let lemmy = """
        favourite https://a.example/u/ann https://i.example/owl.jpg
        favourite https://a.example/u/cat https://i.example/owl.jpg
        favourite https://a.example/u/cat md5:063c1ee70f944b2bd5a4d3fa1f
        favourite https://b.example/u/bob https://i.example/owl.jpg
        favourite https://b.example/u/bob md5:063c1ee70f944b2bd5a4d3fa1f
        follow https://a.example/u/ann https://b.example/u/bob
        group https://a.example/c/owls Owls 🦉
        group https://b.example/c/birds Birds
        member https://a.example/c/owls https://a.example/u/ann 1706781600
        member https://a.example/c/owls https://a.example/u/cat 1706781600
        member https://a.example/c/owls https://b.example/u/bob 1706781600
        member https://b.example/c/birds https://a.example/u/ann 1706781600
        member https://b.example/c/birds https://a.example/u/eve 1706781600
        photo https://i.example/owl.jpg https://a.example/u/ann -
        photo md5:063c1ee70f944b2bd5a4d3fa1f https://a.example/u/ann -
        pool https://a.example/c/owls https://i.example/owl.jpg
        pool https://a.example/c/owls md5:063c1ee70f944b2bd5a4d3fa1f
        pool https://b.example/c/birds https://i.example/owl.jpg
        post https://a.example/c/owls https://a.example/u/ann 1714557600 0
        post https://a.example/c/owls https://a.example/u/ann 1714816800 0
        post https://a.example/c/owls https://a.example/u/ann 1714903200 0
        post https://a.example/c/owls https://a.example/u/cat 1714730400 0
        post https://a.example/c/owls https://b.example/u/bob 1719828000 1
        post https://b.example/c/birds https://a.example/u/cat 1714644000 0
        user https://a.example/u/ann Ann 🦉\tof "Owls" 0
        user https://a.example/u/cat cat 0
        user https://a.example/u/eve eve 0
        user https://b.example/u/bob bob 0
        """.split(separator: "\n").map(String.init)

    static let discourse = """
        favourite 2 1
        favourite 9 2
        group 1 Owls 🦉
        group 2 Birds
        member 1 1 1714557600
        member 1 2 1714557600
        member 2 2 1714557600
        member 2 3 1714557600
        member 2 9 -
        photo 1 1 night;open-tag
        photo 2 3 -
        pool 1 1
        pool 2 1
        pool 2 2
        post 1 1 1714557600 0
        post 1 1 1714561200 1
        post 1 2 1714557600 1
        post 2 2 1714557600 0
        post 2 3 1714557600 1
        user 1 ann 0
        user 2 bob 0
        user 3 cat 0
        user 9 eve 0
        """.split(separator: "\n").map(String.init)

    static let pixelfed = """
        favourite 3 900719925474099901
        follow 900719925474099301 3
        group birds Birds "1"
        group owls Owls🦉
        member birds 2 1709287200
        member birds 900719925474099301 1714557600
        member owls 3 1714644000
        member owls 6 -
        member owls 900719925474099301 1714557600
        photo 12 3 owls
        photo 900719925474099901 900719925474099301 birds;owls
        pool birds 900719925474099901
        pool owls 12
        pool owls 900719925474099901
        user 2 bob 0
        user 3 @cat@b.example 1
        user 6 hides 0
        user 7 off the lists 0
        user 900719925474099301 ann 1
        """.split(separator: "\n").map(String.init)
}
