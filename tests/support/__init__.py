"""What several tests need: data, doubles, servers, and the method written down literally."""
