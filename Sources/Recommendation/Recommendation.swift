// Recommendation
