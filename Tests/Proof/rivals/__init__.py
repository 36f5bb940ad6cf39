"""What a person would pick instead of TaskVault, each behind the same few operations; see ../peers."""
