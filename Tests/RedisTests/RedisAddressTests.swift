// Redis tests
