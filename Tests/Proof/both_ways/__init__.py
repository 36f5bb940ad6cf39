"""What `both-ways` does: vaults from the executable to the reader, from the reader to the executable, and wrong ones to both."""
