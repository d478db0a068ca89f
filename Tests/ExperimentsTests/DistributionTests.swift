import Glibc
import Testing

@testable import Experiments

/// Tails and quantiles, compared with tables and with sums that need no special function.
@Suite struct DistributionTests {
    @Test func tablesOfTheNormalDistribution() {
        #expect(abs(NormalDistribution.quantile(upperTail: 0.025) - 1.959963984540054) < 1e-12)
        #expect(abs(NormalDistribution.quantile(upperTail: 0.2) - 0.8416212335729143) < 1e-12)
        #expect(abs(NormalDistribution.quantile(upperTail: 0.5)) < 1e-15)
    }

    @Test(arguments: [(1.0, 12.706204736), (5, 2.570581836), (30, 2.042272456), (1e6, 1.959966)])
    func tableOfStudentsDistribution(degrees: Double, quantile: Double) {
        let found = StudentDistribution(degreesOfFreedom: degrees).quantile(upperTail: 0.025)
        #expect(abs(found - quantile) < 1e-6)
    }

    /// With one degree of freedom, Student's distribution is Cauchy's; with two it has a closed form with a root.
    @Test(arguments: [-30, -2, -0.1, 0, 0.5, 1, 4, 100])
    func studentsDistributionWithFewDegrees(t: Double) {
        let cauchy = 0.5 - atan(t) / Double.pi
        #expect(abs(StudentDistribution(degreesOfFreedom: 1).upperTail(t) - cauchy) < 1e-13)
        let two = 0.5 - t / (2 * (2 + t * t).squareRoot())
        #expect(abs(StudentDistribution(degreesOfFreedom: 2).upperTail(t) - two) < 1e-13)
    }

    /// With one degree of freedom, χ² is a squared normal value; with an even number it is a finite sum.
    @Test(arguments: [0.01, 0.5, 1, 3.84, 10, 40, 200])
    func chiSquaredTails(x: Double) {
        let squared = 2 * NormalDistribution.upperTail(x.squareRoot())
        #expect(abs(ChiSquaredDistribution.upperTail(x, degreesOfFreedom: 1) - squared) < 1e-13 * max(squared, 1e-3))
        for half in [1, 2, 5, 40] {
            var (term, sum) = (exp(-x / 2), 0.0)
            for index in 1...half {
                sum += term
                term *= x / 2 / Double(index)
            }
            #expect(abs(ChiSquaredDistribution.upperTail(x, degreesOfFreedom: 2 * half) - sum) < 1e-12)
        }
    }

    @Test(arguments: [0, 1, 2, 7, 10, 31])
    func signTestsAreSumsOfBinomials(trials: Int) {
        for successes in 0...trials {
            var (ways, sum) = (1.0, 0.0)
            for index in 0...trials {
                if index >= max(successes, trials - successes) { sum += ways }
                ways *= Double(trials - index) / Double(index + 1)
            }
            let expected = min(1, 2 * sum / pow(2, Double(trials)))
            #expect(abs(BinomialDistribution.signTest(successes: successes, of: trials) - expected) < 1e-12)
        }
    }
}
