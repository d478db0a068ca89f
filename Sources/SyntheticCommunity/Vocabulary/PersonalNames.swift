/// First and last names, from which users are called.
enum PersonalNames {
    static let first = PlainText.words(
        """
        Alice Ben Carla Daniel Elena Felix Grace Hugo Ines Jonas Katarina Liam Maria Noah Olivia Pedro Quentin Rosa Sofia Thomas \
        Ursula Victor Wendy Xavier Yuki Zoe Aaron Beatriz Cédric Dorota Emil Fatima Giulia Hannah Ivan Julia Kenji Laura Marco \
        Nadia Oscar Paula Rafael Sara Tomasz Una Vera Walter Yasmin Anders Bianca Chiara David Eva Francesca George Helen Ingrid \
        José Karin Luca Miriam Nils Otto Priya Ruth Stefan Teresa Ulrich Violeta William Ximena Yusuf Zuzana Amara Björn Camille \
        Dmitri Erik Fiona Gabriel Hana Isabel Jan Keiko Leon Marta Nina Owen Petra Ravi Simone Takashi Vincent Agnes Bruno Clara \
        Diego Emma Frida Gustav Harriet Ilse James Kamala Louis Mei Nora Pablo Rebecca Sven Tara Anna Robert Susan Margaret Peter \
        Linda Mark Claire Michael Karen Paul Judith Andrew Diane Rachel Philip Monika Henrik Astrid Matteo Ana João Renate Wolfgang
        """)

    static let last = PlainText.words(
        """
        Moreau Schmidt Rossi Silva Jensen Novak Garcia Tanaka Murphy Kowalski Andersson Costa Weber Dubois Ferrari Santos Larsen \
        Svoboda Fernandez Suzuki Kelly Nowak Johansson Pereira Fischer Laurent Ricci Almeida Hansen Horvath Lopez Sato Walsh \
        Wisniewski Nilsson Martins Wagner Petit Conti Carvalho Olsen Kovacs Torres Yamamoto Byrne Zielinski Berg Ribeiro Becker \
        Girard Greco Teixeira Dahl Varga Navarro Kimura Doyle Lewandowski Lindgren Nunes Hoffmann Fontaine Marino Gomes Holm Nagy \
        Romero Ito Brennan Mazur Ekström Rocha Keller Mercier Lombardi Barros Lund Popescu Molina Mori Quinn Dudek Virtanen Lopes \
        Bauer Lambert Barbieri Moura Bakker Ionescu Ortega Chen Reid Kaplan Korhonen Freitas Vogel Roux Galli Pinto Visser Petrov \
        Vidal Wang Campbell Demir Nieminen Cardoso Brandt Chevalier Fabbri Duarte Jansen Ivanov Serrano Patel Stewart Yilmaz Smith \
        Jones Taylor Brown Williams Wilson Evans Thomas Roberts Johnson Walker Wright Robinson Thompson White Hughes Edwards Green
        """)
}
