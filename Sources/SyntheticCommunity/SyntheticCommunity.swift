// SyntheticCommunity
